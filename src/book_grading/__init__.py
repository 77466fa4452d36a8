"""Hand out, collect and mark assignments: ``python -m book_grading``.

A set is one notebook in nbgrader's metadata format. Reading order of the rooms:

``checks``       what a test cell calls; each set carries a copy of its ``Checks``
``source_notebooks``  a set and a submission, as cells
``variants``     own numbers for each student, from an ID and the teacher's secret
``release``      the student version: no answers, no outputs, no hidden tests
``handed_out``   which release a paper grew from: nobody is marked with other numbers
``channel``      plain data between two processes, never pickle
``runner``       the student's side of the channel, inside the sandbox
``sandbox``      one bounded process: bubblewrap, limits, a watch from outside
``seccomp``      the system calls that the sandbox refuses
``student``      a submission's code at work: restart, replay, one retry
``submissions``  files on disk, however named
``identify``     which cell of the set each cell of a submission is
``texts``        a student's text, made fit for tables and pages
``marking``      one submission to one result
``batch``        many submissions: workers, stop and resume
``sheets``       CSV in and out, in whatever encoding a spreadsheet saved it
``report``       marks, totals, feedback pages and the class summary
``cli``          the commands
"""
