"""Hand out, collect and mark assignments: ``python -m book_grading``.

A set is one notebook in nbgrader's metadata format. Reading order of the rooms:

``checks``       what a test cell calls; each set carries a copy of its ``Checks``
``source_notebooks``  a set and a submission, as cells
``variants``     own numbers for each student, from an ID and the teacher's secret
``release``      the student version: no answers, no outputs, no hidden tests
``handed_out``   which release a paper grew from: nobody is marked with other numbers
``channel``      plain data between two processes, never pickle
``runner``       the student's side of the channel, inside the sandbox
``compiler``     torch's compiler, kept out of there until something is compiled
``sandbox``      one bounded process: bubblewrap, limits, a watch from outside
``seccomp``      the system calls that the sandbox refuses
``student``      a submission's code at work: restart, replay, one retry
``roster``       the students, from any registry's table
``submissions``  files on disk, however named
``identify``     which cell of the set each cell of a submission is
``texts``        a student's text, made fit for tables and pages
``matching``     whose each paper is, by the teacher's records alone
``handed_in``    deadlines, and which of a student's papers counts
``marking``      one submission to one result
``batch``        many submissions: workers, stop and resume
``sheets``       tables in and out, in whatever form a spreadsheet saved them
``hand_marks``   the teacher's own marks, kept by ID and item
``merged``       tests' and teacher's marks as one row an item
``words``        all that reports say, in ``chinese`` or ``english``
``headings``     what tables and file names are read by
``pages``        self-contained pages, light and dark
``mathematics``  students' Markdown and LaTeX as MathML, bounded
``feedback``, ``class_report``, ``by_hand``, ``similar``, ``exports``   the reports, one file each
``report``       all reports of one set
``cli``          the commands
"""
