<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>Actions</name>
    <message numerus="yes">
        <source>%n workflow(s) cancelled</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) paused</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) removed</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) resumed</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) taken up again</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>End it for good; Retry can still take it up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go on after a pause</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go on from the step that failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pause</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Resume</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Retry</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop for now; it goes on where it was</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take it off the list; what it made stays</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Answer</name>
    <message>
        <source> or </source>
        <comment>between two kinds of value</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>That does not fit; it needs {what}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Type an answer first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Yes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a UUID</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a date and time such as 2026-11-29T16:50</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a date such as 2026-11-29</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a decimal number</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a duration such as 90s, 5m or 1h30m</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a list as JSON, such as [1, 2]</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a number</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a path</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a time such as 16:50</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a value as JSON</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a whole number</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>bytes, written as base64</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nothing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>one of {names}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>text, or a value as JSON</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>yes or no</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{what}, or nothing</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Details</name>
    <message numerus="yes">
        <source>%n attempt(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n problem(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>&amp;Log</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Overview</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Steps ({count})</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>(%n earlier one(s))</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>(%n more character(s))</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>(empty)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>(none)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answer “{name}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answer: {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Attempts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose ...</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose what became of it first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy all of it as text, for a report</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy details</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Created</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Debug</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Details of the workflow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Duration</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Elapsed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ended: {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Error</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Finished</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Give it up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go on from where it ended</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hide the traceback</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Input</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It did not happen: run it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It ends as soon as the step that runs lets go.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It failed between two steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It goes on {time}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It happened</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It pauses as soon as the step that runs lets go.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It starts as soon as it is its turn.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It waits for an answer to “{name}”: {hint}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It waits for the message “{name}”, which a program sends.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It waits for the task “{name}”, which it started.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It was answered before, with {value}; the first answer stands.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It was removed from the list.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Log</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Message: {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No program that is open can run “{name}”, version {version}. Open one that can, and it goes on.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No step is recorded yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing was logged.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Once the cause is mended, Retry goes on from the step that failed. What is finished stays finished.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Parts of the details</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Problems</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Progress</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remaining</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Resume</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Resume lets it go on where it was.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Retry</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Retry takes it up again where it ended.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select a workflow to see its details.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the traceback</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sleep: {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Started</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Started: {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>State</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The step “{step}” failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The step “{step}” was interrupted, and only a person can tell whether what it does has happened.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is a fault in the workflow&apos;s own code. Copy the details and send them to whoever wrote it; with a version that is mended, Retry goes on from here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This workflow is not there any more: it was deleted.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Times</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Took</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Traceback</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Warning</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What it waits for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What you can do</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>about {duration}</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not finished</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>running</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>yes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} bytes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{level}: {text}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{size} ({exact})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{step}: attempt {number}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{step}: begun</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{name}” goes on {time}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{step}” failed: {error}
It is tried again {time}, attempt {attempt} of {attempts}.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Duration</name>
    <message>
        <source>{n} d</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} d {hours} h</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} h</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} h {minutes} min</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} min</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} min {seconds} s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} s</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Form</name>
    <message>
        <source>Add files ...</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add folder ...</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add to {title}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Browse ...</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Browse for {title}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose ...</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a file or a folder.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a folder.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>File ...</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folder ...</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Line {number}: {problem}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no user of that name on this computer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This cannot be empty.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This cannot be started: {reason}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is no path.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is not what is needed: {reason}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This leads to no place on this computer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write a UUID: 32 digits of 0-9 and a-f.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write a date and time, such as 2026-11-29 16:50.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write a date, such as 2026-11-29.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write a number, such as 1.5.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write a time, such as 16:50.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write a whole number, such as 12.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write at least one, each on a line of its own.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write how long, with its unit: 90s, 5m or 1h30m.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write one of: {choices}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write the whole path, from the top.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write yes or no.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write {what}, as JSON.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write {what}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Yes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>such as {example}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{path} has a name that cannot be written in a list.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{title} (optional)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Month</name>
    <message>
        <source>Apr</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Aug</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dec</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Feb</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Jan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Jul</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Jun</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mar</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>May</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nov</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Oct</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sep</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>NewWorkflow</name>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It runs in another program, in a form that cannot be shown here. Start it there.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It was not started: {reason}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New workflow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Runs in another program that is open.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tasks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is nothing to start</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Those are %n thing(s). Drop one folder at a time: each becomes a workflow of its own.</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>What other programs offer cannot be read: {reason}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What was dropped is no file or folder of this computer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{name}” is a file, and no task here takes a file. Drop a folder.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{name}” is a folder, and no task here takes a folder.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{name}” is not there, or cannot be read.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Number</name>
    <message>
        <source>,</source>
        <comment>between groups of three digits</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>.</source>
        <comment>before the decimals</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n}%</source>
        <comment>a percentage</comment>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Problem</name>
    <message>
        <source>Open the backup of {made_at}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The file of your workflows is damaged. Nothing was written to it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>There is a backup of {made_at}, with %n workflow(s). What was done since then is not in it. The damaged file is kept beside it:
{path}</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Progress</name>
    <message>
        <source>{count} so far</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{percent}, {said}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Size</name>
    <message numerus="yes">
        <source>%n byte(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>{n} {unit}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{size}/s</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>State</name>
    <message numerus="yes">
        <source>%n problem(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Blocked: needs you</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancelling</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Completed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Paused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pausing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Queued</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Running</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sleeping until {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trying again at {time}, attempt {attempt} of {attempts}: {error}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting for a message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting for an answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting for another task</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{state}, {problems}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Table</name>
    <message numerus="yes">
        <source>%n workflow(s) brought back</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) left, changed meanwhile</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Elapsed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Finished</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kind</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Or let it go on with version {version}, which does not say that it can: {command}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Progress</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Queued: nothing running can do this</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remaining</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start a program that has {name}, version {version}, for instance:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Started</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>State</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Workflows</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Time</name>
    <message>
        <source>a moment ago</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in a moment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>today {clock}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tomorrow {clock}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>yesterday {clock}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{day} {clock}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{day} {month}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{day} {month} {year}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Welcome</name>
    <message>
        <source>Quit or crash whenever you like: it carries on.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What would you like to do?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>or drop a folder here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{title} ...</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Window</name>
    <message numerus="yes">
        <source>%n failed</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n pending</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n running</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n waiting for you</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) selected</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Workflow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Actions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New workflow ...</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No workflow matches.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search by name or kind</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo remove</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is wrong</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{id} has started</source>
        <translation type="unfinished"></translation>
    </message>
</context>
</TS>
