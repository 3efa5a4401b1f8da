"""Build what a queue manager knows of its cluster from files.

In the order in which a file passes through them:

- ``sources``: a file becomes a facts document or scripts, by the reader of its format;
- ``attributes``, ``objects``: the records of scripts become the objects of each queue manager;
- ``view``, ``status``: the objects of all become the facts that one queue manager sees, with what it displays;
- ``provenance``: facts with their places become one cluster;
- ``coverage``, ``knowledge``, ``completeness``: what the files would tell, and what they leave out;
- ``snapshot``: all of it, step by step, in ``SnapshotBuilder``; ``changes`` and ``members`` change snapshots.

``inserts`` are what a name may still have to be filled in with. ``scripts``, ``checked_member``, ``checked_objects``
and ``checked_cluster`` are what ``mqclause check`` sees. ``file_reports`` and ``facts_export`` are the answers of
``mqclause facts``.
"""
