"""Build what a queue manager knows of its cluster from files.

In the order in which a file passes through them:

- ``sources``: a file becomes a facts document or scripts, by the reader of its format;
- ``attributes``, ``objects``: the records of scripts become the objects of each queue manager;
- ``view``, ``status``: the objects of all become the facts that one queue manager sees, with what it displays;
- ``provenance``: facts with their places become one cluster;
- ``knowledge``, ``completeness``: what the files would tell, what they leave out, and what is still to be filled in;
- ``snapshot``: all of it, step by step, in ``SnapshotBuilder``; ``changes`` and ``members`` change snapshots.

``checked_member``, ``checked_objects`` and ``checked_cluster`` are what ``mqclause check`` sees, made of the
scripts that ``sources`` reads for it. ``file_reports`` is an answer of ``mqclause facts``.
"""
