"""Assembly: what the readers found, to the facts that one queue manager knows.

The way from files to a snapshot, a module a step; ``snapshot.read_sources`` calls them in this order:

1. ``readers.registry``: a file becomes its contents, in the format that it is in: a *facts document* (tables), or a
   *script* (records, each one statement about one MQ object).
2. ``local``: which queue manager is the local one, if a facts document or the caller says it.
3. ``view``: what the local queue manager sees of all scripts. For each queue manager ``objects`` carries out its
   records in order, which leaves its MQ objects; ``attributes`` tells which of their attributes become facts, and
   checks their values; ``operations`` has what was done to the queue manager and its channels, ``channel_states``
   what that says of its routes. Of the objects that the local queue manager can see, which are those of the clusters
   that it is in, come *placed* facts: each knows where it stands.
4. ``tables``: the rows of facts documents, which are facts already, as placed facts too.
5. ``agreement``: all placed facts to one cluster, or what contradicts what and where both stand.

``observed`` puts what the local queue manager displays over what the others' dumps say, ``depths`` has what is shown
of queues besides. ``copies`` leaves out a dump that is given twice, ``change`` sets what a caller asks "what if" of.
``incomplete`` tells what no source says although it could change an answer. ``provenance`` has what a placed fact is,
and answers where each attribute of each fact comes from.
"""
