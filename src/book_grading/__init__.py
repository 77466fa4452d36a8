"""Hand out, collect and mark assignments: ``python -m book_grading``.

A set is one notebook in nbgrader's metadata format. Reading order of the rooms:

``checks``       what a test cell calls; each set carries a copy of its ``Checks``
``notebooks``    a set and a submission, as cells
``variants``     own numbers for each student, from an ID and the teacher's secret
``release``      the student version: no answers, no outputs, no hidden tests
``channel``      plain data between two processes, never pickle
``runner``       the student's side of the channel, inside the sandbox
``sandbox``      one bounded process: bubblewrap, limits, a watch from outside
``student``      a submission's code at work: restart, replay, one retry
``submissions``  files on disk, however named
``marking``      one submission to one result
``batch``        many submissions: workers, stop and resume
``sheets``       CSV in and out, in whatever encoding a spreadsheet saved it
``report``       marks, totals, feedback pages and the class summary
``cli``          the commands
"""
