"""Session programs become tf.functions: reading -> planning -> writing; objects beside.

Read in this order: `reshaping` writes a program in another way where a graph would not be seen whole,
`reading` finds the run sites with their feeds and fetches, `planning` decides what becomes of every
statement, `writing` makes the text; the state that they work on is in `plan_base`. `objects` has the
classes that build a graph for others to run.
The transform that calls all of it is `migrator.transforms.session`.
"""
