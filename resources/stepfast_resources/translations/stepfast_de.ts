<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>Actions</name>
    <message numerus="yes">
        <source>%n left, as it was not possible</source>
        <translation>
            <numerusform>%n ausgelassen, da nicht möglich</numerusform>
            <numerusform>%n ausgelassen, da nicht möglich</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n left, changed meanwhile</source>
        <translation>
            <numerusform>%n ausgelassen, inzwischen geändert</numerusform>
            <numerusform>%n ausgelassen, inzwischen geändert</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n left, deleted meanwhile</source>
        <translation>
            <numerusform>%n ausgelassen, inzwischen gelöscht</numerusform>
            <numerusform>%n ausgelassen, inzwischen gelöscht</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n left, deleted or brought back meanwhile</source>
        <translation>
            <numerusform>%n ausgelassen, inzwischen gelöscht oder zurückgeholt</numerusform>
            <numerusform>%n ausgelassen, inzwischen gelöscht oder zurückgeholt</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n left, finished meanwhile</source>
        <translation>
            <numerusform>%n ausgelassen, inzwischen beendet</numerusform>
            <numerusform>%n ausgelassen, inzwischen beendet</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n name(s) copied</source>
        <translation>
            <numerusform>%n Name kopiert</numerusform>
            <numerusform>%n Namen kopiert</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n removed</source>
        <translation>
            <numerusform>%n entfernt</numerusform>
            <numerusform>%n entfernt</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n still stopping, and removed then</source>
        <translation>
            <numerusform>%n hält noch an und wird dann entfernt</numerusform>
            <numerusform>%n halten noch an und werden dann entfernt</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) brought back</source>
        <translation>
            <numerusform>%n Workflow zurückgeholt</numerusform>
            <numerusform>%n Workflows zurückgeholt</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) cancelled</source>
        <translation>
            <numerusform>%n Workflow abgebrochen</numerusform>
            <numerusform>%n Workflows abgebrochen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) deleted for good</source>
        <translation>
            <numerusform>%n Workflow endgültig gelöscht</numerusform>
            <numerusform>%n Workflows endgültig gelöscht</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) moved</source>
        <translation>
            <numerusform>%n Workflow verschoben</numerusform>
            <numerusform>%n Workflows verschoben</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) paused</source>
        <translation>
            <numerusform>%n Workflow pausiert</numerusform>
            <numerusform>%n Workflows pausiert</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) removed</source>
        <translation>
            <numerusform>%n Workflow entfernt</numerusform>
            <numerusform>%n Workflows entfernt</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) resumed</source>
        <translation>
            <numerusform>%n Workflow fortgesetzt</numerusform>
            <numerusform>%n Workflows fortgesetzt</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) stopped and removed</source>
        <translation>
            <numerusform>%n Workflow angehalten und entfernt</numerusform>
            <numerusform>%n Workflows angehalten und entfernt</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) taken up again</source>
        <translation>
            <numerusform>%n Workflow wieder aufgenommen</numerusform>
            <numerusform>%n Workflows wieder aufgenommen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) with a high priority now</source>
        <translation>
            <numerusform>%n Workflow hat jetzt hohe Priorität</numerusform>
            <numerusform>%n Workflows haben jetzt hohe Priorität</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) with a low priority now</source>
        <translation>
            <numerusform>%n Workflow hat jetzt niedrige Priorität</numerusform>
            <numerusform>%n Workflows haben jetzt niedrige Priorität</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) with the normal priority now</source>
        <translation>
            <numerusform>%n Workflow hat jetzt normale Priorität</numerusform>
            <numerusform>%n Workflows haben jetzt normale Priorität</numerusform>
        </translation>
    </message>
    <message>
        <source>All that is recorded is gone then, for good. Files that were made stay where they are.</source>
        <translation>Alles, was darüber aufgezeichnet ist, ist dann endgültig weg. Erstellte Dateien bleiben, wo sie sind.</translation>
    </message>
    <message>
        <source>All that is selected has come to its end already</source>
        <translation>Die ganze Auswahl ist schon beendet</translation>
    </message>
    <message>
        <source>All that is selected has come to its end already; Remove does it</source>
        <translation>Die ganze Auswahl ist schon beendet; „Entfernen“ genügt</translation>
    </message>
    <message numerus="yes">
        <source>At work on %n workflow(s) ...</source>
        <translation>
            <numerusform>%n Workflow in Arbeit …</numerusform>
            <numerusform>%n Workflows in Arbeit …</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Bring %n workflow(s) back</source>
        <translation>
            <numerusform>%n Workflow zurückholen</numerusform>
            <numerusform>%n Workflows zurückholen</numerusform>
        </translation>
    </message>
    <message>
        <source>Bring all that match back</source>
        <translation>Alle passenden zurückholen</translation>
    </message>
    <message>
        <source>Bring back</source>
        <translation>Zurückholen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message numerus="yes">
        <source>Cancel %n workflow(s)</source>
        <translation>
            <numerusform>%n Workflow abbrechen</numerusform>
            <numerusform>%n Workflows abbrechen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Cancel %n workflow(s)?</source>
        <translation>
            <numerusform>%n Workflow abbrechen?</numerusform>
            <numerusform>%n Workflows abbrechen?</numerusform>
        </translation>
    </message>
    <message>
        <source>Cancel all that match</source>
        <translation>Alle passenden abbrechen</translation>
    </message>
    <message>
        <source>Cancel and remove</source>
        <translation>Abbrechen und entfernen</translation>
    </message>
    <message numerus="yes">
        <source>Cancel and remove %n workflow(s)</source>
        <translation>
            <numerusform>%n Workflow abbrechen und entfernen</numerusform>
            <numerusform>%n Workflows abbrechen und entfernen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Cancel and remove %n workflow(s)?</source>
        <translation>
            <numerusform>%n Workflow abbrechen und entfernen?</numerusform>
            <numerusform>%n Workflows abbrechen und entfernen?</numerusform>
        </translation>
    </message>
    <message>
        <source>Cancel and remove all that match</source>
        <translation>Alle passenden abbrechen und entfernen</translation>
    </message>
    <message numerus="yes">
        <source>Copy %n name(s)</source>
        <translation>
            <numerusform>%n Namen kopieren</numerusform>
            <numerusform>%n Namen kopieren</numerusform>
        </translation>
    </message>
    <message>
        <source>Copy name</source>
        <translation>Namen kopieren</translation>
    </message>
    <message>
        <source>Copy the names of all that match</source>
        <translation>Namen aller passenden kopieren</translation>
    </message>
    <message numerus="yes">
        <source>Delete %n workflow(s)</source>
        <translation>
            <numerusform>%n Workflow löschen</numerusform>
            <numerusform>%n Workflows löschen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Delete %n workflow(s) for good ...</source>
        <translation>
            <numerusform>%n Workflow endgültig löschen …</numerusform>
            <numerusform>%n Workflows endgültig löschen …</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Delete %n workflow(s) for good?</source>
        <translation>
            <numerusform>%n Workflow endgültig löschen?</numerusform>
            <numerusform>%n Workflows endgültig löschen?</numerusform>
        </translation>
    </message>
    <message>
        <source>Delete all that match for good ...</source>
        <translation>Alle passenden endgültig löschen …</translation>
    </message>
    <message>
        <source>Delete for good ...</source>
        <translation>Endgültig löschen …</translation>
    </message>
    <message>
        <source>End it for good; Retry can still take it up</source>
        <translation>Beenden; „Erneut versuchen“ kann ihn noch wieder aufnehmen</translation>
    </message>
    <message>
        <source>End it, and take it off the list as soon as it has stopped</source>
        <translation>Beenden und aus der Liste nehmen, sobald er angehalten hat</translation>
    </message>
    <message>
        <source>Forget all that is recorded of it; files that it made stay</source>
        <translation>Alles vergessen, was darüber aufgezeichnet ist; erstellte Dateien bleiben</translation>
    </message>
    <message>
        <source>Go on after a pause</source>
        <translation>Nach einer Pause weitermachen</translation>
    </message>
    <message>
        <source>Go on from the step that failed</source>
        <translation>Beim fehlgeschlagenen Schritt weitermachen</translation>
    </message>
    <message>
        <source>Goes before what has a lower priority</source>
        <translation>Kommt vor allen mit niedrigerer Priorität</translation>
    </message>
    <message>
        <source>Goes when it has waited longest</source>
        <translation>Kommt, wenn er am längsten gewartet hat</translation>
    </message>
    <message>
        <source>Goes when nothing else is ready</source>
        <translation>Kommt, wenn sonst nichts bereit ist</translation>
    </message>
    <message>
        <source>High</source>
        <translation>Hoch</translation>
    </message>
    <message numerus="yes">
        <source>High, for %n workflow(s)</source>
        <translation>
            <numerusform>Hoch, für %n Workflow</numerusform>
            <numerusform>Hoch, für %n Workflows</numerusform>
        </translation>
    </message>
    <message>
        <source>High, for all that match</source>
        <translation>Hoch, für alle passenden</translation>
    </message>
    <message>
        <source>In the order of the queue</source>
        <translation>In Reihenfolge der Warteschlange</translation>
    </message>
    <message>
        <source>It is at the end of the queue</source>
        <translation>Steht schon am Ende der Warteschlange</translation>
    </message>
    <message>
        <source>It is at the top of the queue</source>
        <translation>Steht schon am Anfang der Warteschlange</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>So lassen</translation>
    </message>
    <message>
        <source>Low</source>
        <translation>Niedrig</translation>
    </message>
    <message numerus="yes">
        <source>Low, for %n workflow(s)</source>
        <translation>
            <numerusform>Niedrig, für %n Workflow</numerusform>
            <numerusform>Niedrig, für %n Workflows</numerusform>
        </translation>
    </message>
    <message>
        <source>Low, for all that match</source>
        <translation>Niedrig, für alle passenden</translation>
    </message>
    <message numerus="yes">
        <source>Move %n workflow(s) down in the queue</source>
        <translation>
            <numerusform>%n Workflow in der Warteschlange nach hinten</numerusform>
            <numerusform>%n Workflows in der Warteschlange nach hinten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Move %n workflow(s) to the end of the queue</source>
        <translation>
            <numerusform>%n Workflow ans Ende der Warteschlange</numerusform>
            <numerusform>%n Workflows ans Ende der Warteschlange</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Move %n workflow(s) to the top of the queue</source>
        <translation>
            <numerusform>%n Workflow an den Anfang der Warteschlange</numerusform>
            <numerusform>%n Workflows an den Anfang der Warteschlange</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Move %n workflow(s) up in the queue</source>
        <translation>
            <numerusform>%n Workflow in der Warteschlange nach vorn</numerusform>
            <numerusform>%n Workflows in der Warteschlange nach vorn</numerusform>
        </translation>
    </message>
    <message>
        <source>Move all that match down in the queue</source>
        <translation>Alle passenden in der Warteschlange nach hinten</translation>
    </message>
    <message>
        <source>Move all that match to the end of the queue</source>
        <translation>Alle passenden ans Ende der Warteschlange</translation>
    </message>
    <message>
        <source>Move all that match to the top of the queue</source>
        <translation>Alle passenden an den Anfang der Warteschlange</translation>
    </message>
    <message>
        <source>Move all that match up in the queue</source>
        <translation>Alle passenden in der Warteschlange nach vorn</translation>
    </message>
    <message>
        <source>Move down in the queue</source>
        <translation>In der Warteschlange nach hinten</translation>
    </message>
    <message>
        <source>Move to the end of the queue</source>
        <translation>Ans Ende der Warteschlange</translation>
    </message>
    <message>
        <source>Move to the top of the queue</source>
        <translation>An den Anfang der Warteschlange</translation>
    </message>
    <message>
        <source>Move up in the queue</source>
        <translation>In der Warteschlange nach vorn</translation>
    </message>
    <message>
        <source>Neither its inputs nor its result name a folder</source>
        <translation>Weder die Eingaben noch das Ergebnis nennen einen Ordner</translation>
    </message>
    <message>
        <source>Normal</source>
        <translation>Normal</translation>
    </message>
    <message numerus="yes">
        <source>Normal, for %n workflow(s)</source>
        <translation>
            <numerusform>Normal, für %n Workflow</numerusform>
            <numerusform>Normal, für %n Workflows</numerusform>
        </translation>
    </message>
    <message>
        <source>Normal, for all that match</source>
        <translation>Normal, für alle passenden</translation>
    </message>
    <message>
        <source>Nothing is selected</source>
        <translation>Nichts ist ausgewählt</translation>
    </message>
    <message>
        <source>Nothing that is selected is paused</source>
        <translation>Von der Auswahl ist nichts pausiert</translation>
    </message>
    <message>
        <source>Nothing that is selected runs, or is about to</source>
        <translation>Von der Auswahl läuft nichts, auch nicht demnächst</translation>
    </message>
    <message>
        <source>Only what failed or was cancelled can be taken up again</source>
        <translation>Nur was fehlgeschlagen ist oder abgebrochen wurde, lässt sich wieder aufnehmen</translation>
    </message>
    <message>
        <source>Only what has come to its end can be removed; cancel it first</source>
        <translation>Nur was beendet ist, lässt sich entfernen; brechen Sie es zuerst ab</translation>
    </message>
    <message>
        <source>Only what has not come to its end has a priority</source>
        <translation>Nur was noch nicht beendet ist, hat eine Priorität</translation>
    </message>
    <message>
        <source>Only what is queued has a place in the queue</source>
        <translation>Nur was eingereiht ist, hat einen Platz in der Warteschlange</translation>
    </message>
    <message>
        <source>Only what was removed can be brought back</source>
        <translation>Nur was entfernt wurde, lässt sich zurückholen</translation>
    </message>
    <message>
        <source>Only what was removed can be deleted for good</source>
        <translation>Nur was entfernt wurde, lässt sich endgültig löschen</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>Ordner öffnen</translation>
    </message>
    <message>
        <source>Open the folder that it works in, or writes to</source>
        <translation>Den Ordner öffnen, in dem er arbeitet oder in den er schreibt</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pausieren</translation>
    </message>
    <message numerus="yes">
        <source>Pause %n workflow(s)</source>
        <translation>
            <numerusform>%n Workflow pausieren</numerusform>
            <numerusform>%n Workflows pausieren</numerusform>
        </translation>
    </message>
    <message>
        <source>Pause all that match</source>
        <translation>Alle passenden pausieren</translation>
    </message>
    <message>
        <source>Priority</source>
        <translation>Priorität</translation>
    </message>
    <message>
        <source>Put it on the list again</source>
        <translation>Wieder in die Liste aufnehmen</translation>
    </message>
    <message>
        <source>Put the names on the clipboard, each on a line</source>
        <translation>Die Namen in die Zwischenablage kopieren, je einen pro Zeile</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>Warteschlange</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message numerus="yes">
        <source>Remove %n finished workflow(s)</source>
        <translation>
            <numerusform>%n beendeten Workflow entfernen</numerusform>
            <numerusform>%n beendete Workflows entfernen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Remove %n workflow(s)</source>
        <translation>
            <numerusform>%n Workflow entfernen</numerusform>
            <numerusform>%n Workflows entfernen</numerusform>
        </translation>
    </message>
    <message>
        <source>Remove all that match</source>
        <translation>Alle passenden entfernen</translation>
    </message>
    <message>
        <source>Remove finished</source>
        <translation>Beendete entfernen</translation>
    </message>
    <message>
        <source>Remove what has finished and matches</source>
        <translation>Beendete entfernen, die passen</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message numerus="yes">
        <source>Resume %n workflow(s)</source>
        <translation>
            <numerusform>%n Workflow fortsetzen</numerusform>
            <numerusform>%n Workflows fortsetzen</numerusform>
        </translation>
    </message>
    <message>
        <source>Resume all that match</source>
        <translation>Alle passenden fortsetzen</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>Erneut versuchen</translation>
    </message>
    <message numerus="yes">
        <source>Retry %n workflow(s)</source>
        <translation>
            <numerusform>%n Workflow erneut versuchen</numerusform>
            <numerusform>%n Workflows erneut versuchen</numerusform>
        </translation>
    </message>
    <message>
        <source>Retry all that match</source>
        <translation>Alle passenden erneut versuchen</translation>
    </message>
    <message>
        <source>Run again ...</source>
        <translation>Noch einmal starten …</translation>
    </message>
    <message>
        <source>Run it after the one behind it, with the priority of that</source>
        <translation>Hinter den nächsten stellen, mit dessen Priorität</translation>
    </message>
    <message>
        <source>Run it before the one in front of it, with the priority of that</source>
        <translation>Vor den vorigen stellen, mit dessen Priorität</translation>
    </message>
    <message>
        <source>Run it last, with the lowest priority that anything queued has</source>
        <translation>Zuletzt ausführen, mit der niedrigsten Priorität in der Warteschlange</translation>
    </message>
    <message>
        <source>Run it next, with the highest priority that anything queued has</source>
        <translation>Als Nächstes ausführen, mit der höchsten Priorität in der Warteschlange</translation>
    </message>
    <message>
        <source>Select one workflow; this is for one at a time</source>
        <translation>Wählen Sie einen Workflow aus; dies geht immer nur mit einem</translation>
    </message>
    <message>
        <source>Start a new one like it, with its inputs filled in</source>
        <translation>Einen neuen mit denselben Eingaben beginnen</translation>
    </message>
    <message>
        <source>Stop for now; it goes on where it was</source>
        <translation>Vorerst anhalten; es geht dort weiter, wo er war</translation>
    </message>
    <message>
        <source>Take it off the list; what it made stays</source>
        <translation>Aus der Liste nehmen; was er erstellt hat, bleibt</translation>
    </message>
    <message>
        <source>They end where they are, and go from the list. Undo brings them back to it.</source>
        <translation>Sie enden dort, wo sie sind, und verschwinden aus der Liste. „Rückgängig“ holt sie zurück.</translation>
    </message>
    <message>
        <source>They end where they are. Retry can take each of them up again.</source>
        <translation>Sie enden dort, wo sie sind. „Erneut versuchen“ kann jeden davon wieder aufnehmen.</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message numerus="yes">
        <source>Undo: bring %n workflow(s) back</source>
        <translation>
            <numerusform>Rückgängig: %n Workflow zurückholen</numerusform>
            <numerusform>Rückgängig: %n Workflows zurückholen</numerusform>
        </translation>
    </message>
    <message>
        <source>Undo: bring {name} back</source>
        <translation>Rückgängig: {name} zurückholen</translation>
    </message>
    <message>
        <source>What runs next comes first; there, rows can be dragged</source>
        <translation>Was als Nächstes läuft, steht oben; dort lassen sich Zeilen ziehen</translation>
    </message>
    <message>
        <source>{name} brought back</source>
        <translation>{name} zurückgeholt</translation>
    </message>
    <message>
        <source>“{path}” is not there now</source>
        <translation>„{path}“ ist zurzeit nicht da</translation>
    </message>
</context>
<context>
    <name>Answer</name>
    <message>
        <source> or </source>
        <comment>between two kinds of value</comment>
        <translation> oder </translation>
    </message>
    <message>
        <source>No</source>
        <translation>Nein</translation>
    </message>
    <message>
        <source>That does not fit; it needs {what}.</source>
        <translation>Das passt nicht; nötig ist {what}.</translation>
    </message>
    <message>
        <source>Type an answer first.</source>
        <translation>Geben Sie zuerst eine Antwort ein.</translation>
    </message>
    <message>
        <source>Yes</source>
        <translation>Ja</translation>
    </message>
    <message>
        <source>a UUID</source>
        <translation>eine UUID</translation>
    </message>
    <message>
        <source>a date and time such as 2026-11-29T16:50</source>
        <translation>ein Datum mit Uhrzeit wie 2026-11-29T16:50</translation>
    </message>
    <message>
        <source>a date such as 2026-11-29</source>
        <translation>ein Datum wie 2026-11-29</translation>
    </message>
    <message>
        <source>a decimal number</source>
        <translation>eine Dezimalzahl</translation>
    </message>
    <message>
        <source>a duration such as 90s, 5m or 1h30m</source>
        <translation>eine Dauer wie 90s, 5m oder 1h30m</translation>
    </message>
    <message>
        <source>a list as JSON, such as [1, 2]</source>
        <translation>eine Liste als JSON wie [1, 2]</translation>
    </message>
    <message>
        <source>a number</source>
        <translation>eine Zahl</translation>
    </message>
    <message>
        <source>a path</source>
        <translation>ein Pfad</translation>
    </message>
    <message>
        <source>a text</source>
        <translation>ein Text</translation>
    </message>
    <message>
        <source>a time such as 16:50</source>
        <translation>eine Uhrzeit wie 16:50</translation>
    </message>
    <message>
        <source>a value as JSON</source>
        <translation>ein Wert als JSON</translation>
    </message>
    <message>
        <source>a whole number</source>
        <translation>eine ganze Zahl</translation>
    </message>
    <message>
        <source>bytes, written as base64</source>
        <translation>Bytes, als base64 geschrieben</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>nichts</translation>
    </message>
    <message>
        <source>one of {names}</source>
        <translation>eins von {names}</translation>
    </message>
    <message>
        <source>text, or a value as JSON</source>
        <translation>Text oder ein Wert als JSON</translation>
    </message>
    <message>
        <source>yes or no</source>
        <translation>ja oder nein</translation>
    </message>
    <message>
        <source>{what}, or nothing</source>
        <translation>{what} oder nichts</translation>
    </message>
</context>
<context>
    <name>Away</name>
    <message numerus="yes">
        <source>%n workflow(s) running</source>
        <translation>
            <numerusform>%n Workflow läuft</numerusform>
            <numerusform>%n Workflows laufen</numerusform>
        </translation>
    </message>
    <message>
        <source>Notes how far each workflow is</source>
        <translation>Merkt sich, wie weit jeder Workflow ist</translation>
    </message>
</context>
<context>
    <name>Background</name>
    <message>
        <source>A worker runs in the background</source>
        <translation>Ein Hintergrundprozess läuft</translation>
    </message>
    <message>
        <source>Handing over to a worker in the background ...</source>
        <translation>Übergabe an einen Hintergrundprozess …</translation>
    </message>
    <message>
        <source>Stopping the worker in the background ...</source>
        <translation>Der Hintergrundprozess wird beendet …</translation>
    </message>
    <message>
        <source>The worker in the background could not be started: {error}. This window stays open and goes on instead.</source>
        <translation>Der Hintergrundprozess konnte nicht gestartet werden: {error}. Dieses Fenster bleibt offen und macht stattdessen weiter.</translation>
    </message>
    <message>
        <source>The worker in the background could not be stopped: {error}</source>
        <translation>Der Hintergrundprozess konnte nicht beendet werden: {error}</translation>
    </message>
    <message>
        <source>it did not come up in {seconds} seconds; see {log}</source>
        <translation>er war nach {seconds} Sekunden noch nicht bereit; siehe {log}</translation>
    </message>
    <message>
        <source>it does not end; it may be stuck in a step</source>
        <translation>er endet nicht; vielleicht hängt er in einem Schritt</translation>
    </message>
    <message>
        <source>it ended with code {code} before it was at work</source>
        <translation>er endete mit Code {code}, bevor er bei der Arbeit war</translation>
    </message>
    <message>
        <source>it was ended by signal {number} before it was at work</source>
        <translation>er wurde durch Signal {number} beendet, bevor er bei der Arbeit war</translation>
    </message>
    <message>
        <source>it was killed before it was at work: by the system, perhaps for want of memory, or by somebody</source>
        <translation>er wurde gewaltsam beendet, bevor er bei der Arbeit war: vom System, vielleicht aus Mangel an Speicher, oder von jemandem</translation>
    </message>
    <message>
        <source>{why}. It said: {said} (the rest is in {log})</source>
        <translation>{why}. Er meldete: {said} (das Übrige steht in {log})</translation>
    </message>
</context>
<context>
    <name>BugReport</name>
    <message numerus="yes">
        <source>%n line(s), left out</source>
        <translation>
            <numerusform>%n Zeile, weggelassen</numerusform>
            <numerusform>%n Zeilen, weggelassen</numerusform>
        </translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>&amp;Kopieren</translation>
    </message>
    <message>
        <source>&amp;Save ...</source>
        <translation>&amp;Speichern …</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Export for a bug report</source>
        <translation>Für Fehlerbericht exportieren</translation>
    </message>
    <message>
        <source>It was not written: {reason}</source>
        <translation>Nicht geschrieben: {reason}</translation>
    </message>
    <message>
        <source>Save the report</source>
        <translation>Bericht speichern</translation>
    </message>
    <message>
        <source>This is what will be in the file. It is written here, and sent to nobody. Read it before you hand it on: messages of errors may name files.</source>
        <translation>Das wird in der Datei stehen. Sie wird hier geschrieben und an niemanden gesendet. Lesen Sie sie, bevor Sie sie weitergeben: Fehlermeldungen können Dateien nennen.</translation>
    </message>
    <message>
        <source>What will be in the file</source>
        <translation>Was in der Datei stehen wird</translation>
    </message>
    <message>
        <source>With the &amp;lines of its log</source>
        <translation>Mit den &amp;Zeilen des Protokolls</translation>
    </message>
    <message>
        <source>With the &amp;values of inputs, results and steps</source>
        <translation>Mit den &amp;Werten von Eingaben, Ergebnissen und Schritten</translation>
    </message>
</context>
<context>
    <name>Checkup</name>
    <message numerus="yes">
        <source>%n fault(s)</source>
        <translation>
            <numerusform>%n Fehler</numerusform>
            <numerusform>%n Fehler</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s)</source>
        <translation>
            <numerusform>%n Workflow</numerusform>
            <numerusform>%n Workflows</numerusform>
        </translation>
    </message>
    <message>
        <source>blocked</source>
        <translation>blockiert</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>abgebrochen</translation>
    </message>
    <message>
        <source>completed</source>
        <translation>abgeschlossen</translation>
    </message>
    <message>
        <source>damaged itself</source>
        <translation>selbst beschädigt</translation>
    </message>
    <message>
        <source>data folder</source>
        <translation>Datenordner</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>fehlgeschlagen</translation>
    </message>
    <message>
        <source>file</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>free there</source>
        <translation>dort frei</translation>
    </message>
    <message>
        <source>good</source>
        <translation>in Ordnung</translation>
    </message>
    <message>
        <source>in</source>
        <translation>in</translation>
    </message>
    <message>
        <source>integrity</source>
        <translation>Integrität</translation>
    </message>
    <message>
        <source>journal</source>
        <translation>Journal</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>not installed; it runs from its source</source>
        <translation>nicht installiert; läuft aus dem Quelltext</translation>
    </message>
    <message>
        <source>not installed; only the window needs it</source>
        <translation>nicht installiert; nur das Fenster braucht es</translation>
    </message>
    <message>
        <source>owners</source>
        <translation>Besitzer</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>pausiert</translation>
    </message>
    <message>
        <source>queued</source>
        <translation>eingereiht</translation>
    </message>
    <message>
        <source>running</source>
        <translation>laufend</translation>
    </message>
    <message>
        <source>schema</source>
        <translation>Schema</translation>
    </message>
    <message>
        <source>size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>sleeping</source>
        <translation>ruhend</translation>
    </message>
    <message>
        <source>system</source>
        <translation>System</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>wartend</translation>
    </message>
    <message>
        <source>workflows</source>
        <translation>Workflows</translation>
    </message>
    <message>
        <source>{count} {state}</source>
        <translation>{count} {state}</translation>
    </message>
    <message>
        <source>{there}; this program&apos;s own is {own}</source>
        <translation>{there}; dieses Programm hat {own}</translation>
    </message>
</context>
<context>
    <name>Day</name>
    <message>
        <source>Fri</source>
        <translation>Fr</translation>
    </message>
    <message>
        <source>Mon</source>
        <translation>Mo</translation>
    </message>
    <message>
        <source>Sat</source>
        <translation>Sa</translation>
    </message>
    <message>
        <source>Sun</source>
        <translation>So</translation>
    </message>
    <message>
        <source>Thu</source>
        <translation>Do</translation>
    </message>
    <message>
        <source>Tue</source>
        <translation>Di</translation>
    </message>
    <message>
        <source>Wed</source>
        <translation>Mi</translation>
    </message>
</context>
<context>
    <name>Desktop</name>
    <message>
        <source>Copied to the clipboard</source>
        <translation>In die Zwischenablage kopiert</translation>
    </message>
    <message>
        <source>No program opens {path}</source>
        <translation>Kein Programm öffnet {path}</translation>
    </message>
</context>
<context>
    <name>Details</name>
    <message numerus="yes">
        <source>%n attempt(s)</source>
        <translation>
            <numerusform>%n Versuch</numerusform>
            <numerusform>%n Versuche</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n problem(s)</source>
        <translation>
            <numerusform>%n Problem</numerusform>
            <numerusform>%n Probleme</numerusform>
        </translation>
    </message>
    <message>
        <source>&amp;Log</source>
        <translation>&amp;Protokoll</translation>
    </message>
    <message>
        <source>&amp;Overview</source>
        <translation>&amp;Übersicht</translation>
    </message>
    <message>
        <source>&amp;Records</source>
        <translation>&amp;Einträge</translation>
    </message>
    <message>
        <source>&amp;Steps</source>
        <translation>&amp;Schritte</translation>
    </message>
    <message>
        <source>&amp;Steps ({count})</source>
        <translation>&amp;Schritte ({count})</translation>
    </message>
    <message numerus="yes">
        <source>(%n earlier one(s))</source>
        <translation>
            <numerusform>(%n früherer)</numerusform>
            <numerusform>(%n frühere)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>(%n more character(s))</source>
        <translation>
            <numerusform>(%n weiteres Zeichen)</numerusform>
            <numerusform>(%n weitere Zeichen)</numerusform>
        </translation>
    </message>
    <message>
        <source>(empty)</source>
        <translation>(leer)</translation>
    </message>
    <message>
        <source>(none)</source>
        <translation>(keine)</translation>
    </message>
    <message>
        <source>A new workflow begins with what was recorded before that step. What that step and those after it do happens once more. The workflow that is shown stays as it is.</source>
        <translation>Ein neuer Workflow beginnt mit dem, was vor diesem Schritt aufgezeichnet wurde. Was dieser Schritt und die danach tun, geschieht noch einmal. Der gezeigte Workflow bleibt, wie er ist.</translation>
    </message>
    <message>
        <source>Answer: {name}</source>
        <translation>Antwort: {name}</translation>
    </message>
    <message>
        <source>As a new workflow; this one stays as it is</source>
        <translation>Als neuer Workflow; dieser bleibt, wie er ist</translation>
    </message>
    <message>
        <source>Attempts</source>
        <translation>Versuche</translation>
    </message>
    <message>
        <source>Continue with version {version}</source>
        <translation>Mit Version {version} fortsetzen</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copy all of it as text, for a report</source>
        <translation>Alles als Text kopieren, für einen Bericht</translation>
    </message>
    <message>
        <source>Copy details</source>
        <translation>Details kopieren</translation>
    </message>
    <message>
        <source>Created</source>
        <translation>Erstellt</translation>
    </message>
    <message>
        <source>Debug</source>
        <translation>Debug</translation>
    </message>
    <message>
        <source>Details of the workflow</source>
        <translation>Details des Workflows</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>Dauer</translation>
    </message>
    <message>
        <source>Elapsed</source>
        <translation>Laufzeit</translation>
    </message>
    <message>
        <source>Ended: {name}</source>
        <translation>Beendet: {name}</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>Beendet</translation>
    </message>
    <message>
        <source>Go on from where it ended</source>
        <translation>Dort weitermachen, wo er endete</translation>
    </message>
    <message>
        <source>Hide the traceback</source>
        <translation>Traceback ausblenden</translation>
    </message>
    <message>
        <source>Input</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>It ends as soon as the step that runs lets go.</source>
        <translation>Er endet, sobald der laufende Schritt es zulässt.</translation>
    </message>
    <message>
        <source>It failed between two steps</source>
        <translation>Zwischen zwei Schritten fehlgeschlagen</translation>
    </message>
    <message>
        <source>It goes on {time}.</source>
        <translation>Es geht weiter: {time}.</translation>
    </message>
    <message>
        <source>It pauses as soon as the step that runs lets go.</source>
        <translation>Er pausiert, sobald der laufende Schritt es zulässt.</translation>
    </message>
    <message>
        <source>It starts {time}.</source>
        <translation>Er startet: {time}.</translation>
    </message>
    <message>
        <source>It waits for an answer to “{name}”: {hint}</source>
        <translation>Er wartet auf eine Antwort zu „{name}“: {hint}</translation>
    </message>
    <message>
        <source>It waits for the message “{name}”, which a program sends.</source>
        <translation>Er wartet auf die Nachricht „{name}“, die ein Programm sendet.</translation>
    </message>
    <message>
        <source>It waits for the task “{name}”, which it started.</source>
        <translation>Er wartet auf die Aufgabe „{name}“, die er gestartet hat.</translation>
    </message>
    <message>
        <source>It was answered before, with {value}; the first answer stands.</source>
        <translation>Darauf wurde schon mit {value} geantwortet; die erste Antwort gilt.</translation>
    </message>
    <message>
        <source>It was removed from the list.</source>
        <translation>Er wurde aus der Liste entfernt.</translation>
    </message>
    <message>
        <source>L&amp;ist</source>
        <translation>&amp;Liste</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Protokoll</translation>
    </message>
    <message>
        <source>Message: {name}</source>
        <translation>Nachricht: {name}</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>No program that is open can run “{name}”, version {version}. Open one that can, and it goes on.</source>
        <translation>Kein offenes Programm kann „{name}“, Version {version}, ausführen. Öffnen Sie eines, das es kann, dann geht es weiter.</translation>
    </message>
    <message>
        <source>No step is recorded yet.</source>
        <translation>Noch ist kein Schritt aufgezeichnet.</translation>
    </message>
    <message>
        <source>Nothing that is open has version {version} of “{name}”, with which it began. This program has version {newest}, which does not say that it can go on with it: ask whoever wrote it, or let it go on and see.</source>
        <translation>Nichts, was offen ist, hat Version {version} von „{name}“, mit der er begann. Dieses Programm hat Version {newest}, die nicht angibt, dass sie damit weitermachen kann: Fragen Sie, wer sie geschrieben hat, oder probieren Sie es aus.</translation>
    </message>
    <message>
        <source>Nothing was logged.</source>
        <translation>Nichts wurde protokolliert.</translation>
    </message>
    <message>
        <source>Once the cause is mended, Retry goes on from the step that failed. What is finished stays finished.</source>
        <translation>Ist die Ursache behoben, macht „Erneut versuchen“ beim fehlgeschlagenen Schritt weiter. Was fertig ist, bleibt fertig.</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>Ordner öffnen</translation>
    </message>
    <message>
        <source>Parts of the details</source>
        <translation>Teile der Details</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>Probleme</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Fortschritt</translation>
    </message>
    <message>
        <source>Remaining</source>
        <translation>Restzeit</translation>
    </message>
    <message>
        <source>Rerun from here ...</source>
        <translation>Ab hier neu ausführen …</translation>
    </message>
    <message>
        <source>Rerun from “{step}” ...</source>
        <translation>Ab „{step}“ neu ausführen …</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Resume lets it go on where it was.</source>
        <translation>„Fortsetzen“ macht dort weiter, wo er war.</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>Erneut versuchen</translation>
    </message>
    <message>
        <source>Retry takes it up again where it ended.</source>
        <translation>„Erneut versuchen“ nimmt ihn dort wieder auf, wo er endete.</translation>
    </message>
    <message>
        <source>Retry these ...</source>
        <translation>Diese erneut versuchen …</translation>
    </message>
    <message>
        <source>Run again</source>
        <translation>Neu ausführen</translation>
    </message>
    <message>
        <source>Run again from “{step}”?</source>
        <translation>Ab „{step}“ neu ausführen?</translation>
    </message>
    <message>
        <source>Select a workflow to see its details.</source>
        <translation>Wählen Sie einen Workflow aus, um seine Details zu sehen.</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>Alles auswählen</translation>
    </message>
    <message>
        <source>Show the traceback</source>
        <translation>Traceback anzeigen</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Sleep: {name}</source>
        <translation>Ruhezeit: {name}</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>Gestartet</translation>
    </message>
    <message>
        <source>Started: {name}</source>
        <translation>Gestartet: {name}</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>The details were copied</source>
        <translation>Die Details wurden kopiert</translation>
    </message>
    <message>
        <source>The step “{step}” failed</source>
        <translation>Der Schritt „{step}“ ist fehlgeschlagen</translation>
    </message>
    <message>
        <source>This is a fault in the workflow&apos;s own code. Copy the details and send them to whoever wrote it; with a version that is mended, Retry goes on from here.</source>
        <translation>Das ist ein Fehler im Code des Workflows selbst. Kopieren Sie die Details und senden Sie sie an den, der ihn geschrieben hat; mit einer korrigierten Version macht „Erneut versuchen“ hier weiter.</translation>
    </message>
    <message>
        <source>This workflow is not there any more: it was deleted.</source>
        <translation>Diesen Workflow gibt es nicht mehr: Er wurde gelöscht.</translation>
    </message>
    <message>
        <source>Times</source>
        <translation>Zeiten</translation>
    </message>
    <message>
        <source>Took</source>
        <translation>Dauer</translation>
    </message>
    <message>
        <source>Traceback</source>
        <translation>Traceback</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>Warnung</translation>
    </message>
    <message>
        <source>What it waits for</source>
        <translation>Worauf er wartet</translation>
    </message>
    <message>
        <source>What you can do</source>
        <translation>Was Sie tun können</translation>
    </message>
    <message>
        <source>about {duration}</source>
        <translation>etwa {duration}</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>und %n weiteres</numerusform>
            <numerusform>und %n weitere</numerusform>
        </translation>
    </message>
    <message>
        <source>failed</source>
        <translation>fehlgeschlagen</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>not finished</source>
        <translation>nicht fertig</translation>
    </message>
    <message>
        <source>running</source>
        <translation>läuft</translation>
    </message>
    <message>
        <source>whether that step happened</source>
        <translation>ob dieser Schritt geschehen ist</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>{count} bytes</source>
        <translation>{count} Bytes</translation>
    </message>
    <message>
        <source>{level}: {text}</source>
        <translation>{level}: {text}</translation>
    </message>
    <message>
        <source>{size} ({exact})</source>
        <translation>{size} ({exact})</translation>
    </message>
    <message>
        <source>{step}: attempt {number}</source>
        <translation>{step}: Versuch {number}</translation>
    </message>
    <message>
        <source>{step}: begun</source>
        <translation>{step}: begonnen</translation>
    </message>
    <message>
        <source>“{name}” goes on {time}.</source>
        <translation>„{name}“ geht weiter: {time}.</translation>
    </message>
    <message>
        <source>“{step}” failed: {error}
It is tried again {time}, attempt {attempt} of {attempts}.</source>
        <translation>„{step}“ ist fehlgeschlagen: {error}
Neuer Versuch ({attempt} von {attempts}): {time}.</translation>
    </message>
</context>
<context>
    <name>Diagnostics</name>
    <message numerus="yes">
        <source>%n workflow(s)</source>
        <translation>
            <numerusform>%n Workflow</numerusform>
            <numerusform>%n Workflows</numerusform>
        </translation>
    </message>
    <message>
        <source>&amp;Another file ...</source>
        <translation>&amp;Andere Datei …</translation>
    </message>
    <message>
        <source>&amp;Back up now</source>
        <translation>&amp;Jetzt sichern</translation>
    </message>
    <message>
        <source>&amp;Check the file</source>
        <translation>Datei &amp;prüfen</translation>
    </message>
    <message>
        <source>&amp;Restore a backup ...</source>
        <translation>Sicherung &amp;wiederherstellen …</translation>
    </message>
    <message>
        <source>A backup was made: {path}</source>
        <translation>Sicherung erstellt: {path}</translation>
    </message>
    <message>
        <source>All is well.</source>
        <translation>Alles in Ordnung.</translation>
    </message>
    <message>
        <source>Backups</source>
        <translation>Sicherungen</translation>
    </message>
    <message>
        <source>C&amp;opy all</source>
        <translation>&amp;Alles kopieren</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Choose a backup</source>
        <translation>Sicherung auswählen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Diagnostics</source>
        <translation>Diagnose</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>Dateien</translation>
    </message>
    <message>
        <source>Holds</source>
        <translation>Enthält</translation>
    </message>
    <message>
        <source>Made</source>
        <translation>Erstellt</translation>
    </message>
    <message>
        <source>Making a backup ...</source>
        <translation>Sicherung wird erstellt …</translation>
    </message>
    <message>
        <source>No backup was made: {reason}</source>
        <translation>Keine Sicherung erstellt: {reason}</translation>
    </message>
    <message>
        <source>Open the &amp;data folder</source>
        <translation>&amp;Datenordner öffnen</translation>
    </message>
    <message>
        <source>Open the &amp;log folder</source>
        <translation>P&amp;rotokollordner öffnen</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>Programm</translation>
    </message>
    <message>
        <source>Reading the backups ...</source>
        <translation>Sicherungen werden gelesen …</translation>
    </message>
    <message>
        <source>Reading the file and its backups ...</source>
        <translation>Die Datei und ihre Sicherungen werden gelesen …</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>Wiederherstellen</translation>
    </message>
    <message>
        <source>Restore a backup</source>
        <translation>Sicherung wiederherstellen</translation>
    </message>
    <message>
        <source>Set aside</source>
        <translation>Beiseitegelegt</translation>
    </message>
    <message>
        <source>The file is damaged. Restore a backup; the file is kept beside it.</source>
        <translation>Die Datei ist beschädigt. Stellen Sie eine Sicherung wieder her; die Datei bleibt daneben erhalten.</translation>
    </message>
    <message>
        <source>There is no backup yet, in {folder}.</source>
        <translation>Es gibt noch keine Sicherung in {folder}.</translation>
    </message>
    <message>
        <source>They are in {folder}.</source>
        <translation>Sie liegen in {folder}.</translation>
    </message>
    <message>
        <source>What is known of the program and its file</source>
        <translation>Was über das Programm und seine Datei bekannt ist</translation>
    </message>
    <message>
        <source>What is wrong with the file</source>
        <translation>Was mit der Datei nicht stimmt</translation>
    </message>
    <message>
        <source>What runs is parked, the backup takes the place of the file, and the window opens again. The file as it is now is kept beside it; what was recorded since the backup is only there.</source>
        <translation>Was läuft, wird geparkt, die Sicherung tritt an die Stelle der Datei, und das Fenster öffnet sich neu. Die jetzige Datei bleibt daneben erhalten; was seit der Sicherung aufgezeichnet wurde, steht nur dort.</translation>
    </message>
    <message>
        <source>Workflows</source>
        <translation>Workflows</translation>
    </message>
    <message>
        <source>damaged itself</source>
        <translation>selbst beschädigt</translation>
    </message>
    <message>
        <source>{date} ({when})</source>
        <translation>{date} ({when})</translation>
    </message>
    <message>
        <source>{workflows}, {size}</source>
        <translation>{workflows}, {size}</translation>
    </message>
</context>
<context>
    <name>Duration</name>
    <message>
        <source>{n} d</source>
        <translation>{n} d</translation>
    </message>
    <message>
        <source>{n} d {hours} h</source>
        <translation>{n} d {hours} h</translation>
    </message>
    <message>
        <source>{n} h</source>
        <translation>{n} h</translation>
    </message>
    <message>
        <source>{n} h {minutes} min</source>
        <translation>{n} h {minutes} min</translation>
    </message>
    <message>
        <source>{n} min</source>
        <translation>{n} min</translation>
    </message>
    <message>
        <source>{n} min {seconds} s</source>
        <translation>{n} min {seconds} s</translation>
    </message>
    <message>
        <source>{n} ms</source>
        <translation>{n} ms</translation>
    </message>
    <message>
        <source>{n} s</source>
        <translation>{n} s</translation>
    </message>
</context>
<context>
    <name>Faults</name>
    <message>
        <source>A newer Stepfast has opened this file, and this one can write to it no more. Quit, and start the newer one.</source>
        <translation>Ein neueres Stepfast hat diese Datei geöffnet; dieses kann nicht mehr in sie schreiben. Beenden Sie es und starten Sie das neuere.</translation>
    </message>
    <message>
        <source>After an error of the disk the file&apos;s log is only added to, and grows. All is safe; close the other programs that use the file, then open it anew.</source>
        <translation>Nach einem Fehler des Datenträgers wird an das Journal der Datei nur noch angehängt, und es wächst. Alles ist sicher; schließen Sie die anderen Programme, die die Datei nutzen, und öffnen Sie sie dann neu.</translation>
    </message>
    <message>
        <source>Another program keeps the file of your workflows to itself.</source>
        <translation>Ein anderes Programm hält die Datei Ihrer Workflows für sich besetzt.</translation>
    </message>
    <message>
        <source>Another program reads for so long that the file&apos;s log grows.</source>
        <translation>Ein anderes Programm liest so lange, dass das Journal der Datei wächst.</translation>
    </message>
    <message>
        <source>No backup can be made.</source>
        <translation>Es kann keine Sicherung erstellt werden.</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>Ordner öffnen</translation>
    </message>
    <message>
        <source>Open the file anew</source>
        <translation>Datei neu öffnen</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>Restore a backup ...</source>
        <translation>Sicherung wiederherstellen …</translation>
    </message>
    <message>
        <source>Something is wrong with the file of your workflows.</source>
        <translation>Etwas stimmt nicht mit der Datei Ihrer Workflows.</translation>
    </message>
    <message>
        <source>The disk at {disk} is full ({size} free), so nothing new is begun. Nothing that is recorded is lost; make some room there, and it goes on by itself.</source>
        <translation>Der Datenträger unter {disk} ist voll ({size} frei), deshalb wird nichts Neues begonnen. Nichts Aufgezeichnetes ist verloren; schaffen Sie dort Platz, dann geht es von selbst weiter.</translation>
    </message>
    <message>
        <source>The disk at {disk} takes nothing more, though {size} are free there: perhaps a quota is used up. Nothing new is begun. Nothing that is recorded is lost; make some room there, and it goes on by itself.</source>
        <translation>Der Datenträger unter {disk} nimmt nichts mehr auf, obwohl dort {size} frei sind: Vielleicht ist ein Kontingent ausgeschöpft. Es wird nichts Neues begonnen. Nichts Aufgezeichnetes ist verloren; schaffen Sie dort Platz, dann geht es von selbst weiter.</translation>
    </message>
    <message>
        <source>The disk is full, so nothing new is begun. Nothing that is recorded is lost; make some room there, and it goes on by itself.</source>
        <translation>Der Datenträger ist voll, deshalb wird nichts Neues begonnen. Nichts Aufgezeichnetes ist verloren; schaffen Sie dort Platz, dann geht es von selbst weiter.</translation>
    </message>
    <message>
        <source>The disk reports errors, so nothing new is begun.</source>
        <translation>Der Datenträger meldet Fehler, deshalb wird nichts Neues begonnen.</translation>
    </message>
    <message>
        <source>The file of your workflows cannot be written, so nothing new is begun.</source>
        <translation>In die Datei Ihrer Workflows lässt sich nicht schreiben, deshalb wird nichts Neues begonnen.</translation>
    </message>
    <message>
        <source>The file of your workflows is damaged. Nothing is written to it.</source>
        <translation>Die Datei Ihrer Workflows ist beschädigt. Es wird nichts in sie geschrieben.</translation>
    </message>
    <message>
        <source>The file of your workflows is not where it was.</source>
        <translation>Die Datei Ihrer Workflows ist nicht mehr, wo sie war.</translation>
    </message>
    <message>
        <source>Try again now</source>
        <translation>Jetzt erneut versuchen</translation>
    </message>
</context>
<context>
    <name>Form</name>
    <message>
        <source>&amp;More</source>
        <translation>&amp;Mehr</translation>
    </message>
    <message>
        <source>Add at least one.</source>
        <translation>Fügen Sie mindestens eins hinzu.</translation>
    </message>
    <message>
        <source>Add files ...</source>
        <translation>Dateien hinzufügen …</translation>
    </message>
    <message>
        <source>Add folder ...</source>
        <translation>Ordner hinzufügen …</translation>
    </message>
    <message>
        <source>Add to {title}</source>
        <translation>Zu „{title}“ hinzufügen</translation>
    </message>
    <message>
        <source>Browse ...</source>
        <translation>Durchsuchen …</translation>
    </message>
    <message>
        <source>Browse for {title}</source>
        <translation>{title} suchen</translation>
    </message>
    <message>
        <source>Choose ...</source>
        <translation>Auswählen …</translation>
    </message>
    <message>
        <source>Choose a file or a folder.</source>
        <translation>Wählen Sie eine Datei oder einen Ordner.</translation>
    </message>
    <message>
        <source>Choose a file.</source>
        <translation>Wählen Sie eine Datei.</translation>
    </message>
    <message>
        <source>Choose a folder.</source>
        <translation>Wählen Sie einen Ordner.</translation>
    </message>
    <message>
        <source>Choose one.</source>
        <translation>Wählen Sie eins aus.</translation>
    </message>
    <message>
        <source>File ...</source>
        <translation>Datei …</translation>
    </message>
    <message>
        <source>Folded up</source>
        <translation>Zugeklappt</translation>
    </message>
    <message>
        <source>Folder ...</source>
        <translation>Ordner …</translation>
    </message>
    <message>
        <source>Line {number}: {problem}</source>
        <translation>Zeile {number}: {problem}</translation>
    </message>
    <message>
        <source>More options</source>
        <translation>Mehr Optionen</translation>
    </message>
    <message>
        <source>Move down</source>
        <translation>Nach unten</translation>
    </message>
    <message>
        <source>Move up</source>
        <translation>Nach oben</translation>
    </message>
    <message>
        <source>No</source>
        <translation>Nein</translation>
    </message>
    <message>
        <source>Nothing</source>
        <translation>Nichts</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Shown below</source>
        <translation>Unten angezeigt</translation>
    </message>
    <message>
        <source>There is no user of that name on this computer.</source>
        <translation>Auf diesem Computer gibt es keinen Benutzer mit diesem Namen.</translation>
    </message>
    <message>
        <source>This cannot be empty.</source>
        <translation>Das darf nicht leer sein.</translation>
    </message>
    <message>
        <source>This cannot be started: {reason}.</source>
        <translation>Das lässt sich nicht starten: {reason}.</translation>
    </message>
    <message>
        <source>This could not be looked at before it starts: {reason}.</source>
        <translation>Das ließ sich vor dem Start nicht prüfen: {reason}.</translation>
    </message>
    <message>
        <source>This is no path.</source>
        <translation>Das ist kein Pfad.</translation>
    </message>
    <message>
        <source>This is not what is needed: {reason}.</source>
        <translation>Das ist nicht, was gebraucht wird: {reason}.</translation>
    </message>
    <message>
        <source>This leads to no place on this computer.</source>
        <translation>Das führt zu keinem Ort auf diesem Computer.</translation>
    </message>
    <message>
        <source>Write a UUID: 32 digits of 0-9 and a-f.</source>
        <translation>Geben Sie eine UUID ein: 32 Zeichen aus 0-9 und a-f.</translation>
    </message>
    <message>
        <source>Write a date and time, such as 2026-11-29 16:50.</source>
        <translation>Geben Sie Datum und Uhrzeit ein, etwa 2026-11-29 16:50.</translation>
    </message>
    <message>
        <source>Write a date, such as 2026-11-29.</source>
        <translation>Geben Sie ein Datum ein, etwa 2026-11-29.</translation>
    </message>
    <message>
        <source>Write a number from {least} to {most}.</source>
        <translation>Geben Sie eine Zahl von {least} bis {most} ein.</translation>
    </message>
    <message>
        <source>Write a number from {least} up.</source>
        <translation>Geben Sie eine Zahl ab {least} ein.</translation>
    </message>
    <message>
        <source>Write a number up to {most}.</source>
        <translation>Geben Sie eine Zahl bis {most} ein.</translation>
    </message>
    <message>
        <source>Write a number, such as {number}.</source>
        <translation>Geben Sie eine Zahl ein, etwa {number}.</translation>
    </message>
    <message>
        <source>Write a time, such as 16:50.</source>
        <translation>Geben Sie eine Uhrzeit ein, etwa 16:50.</translation>
    </message>
    <message>
        <source>Write a whole number, such as 12.</source>
        <translation>Geben Sie eine ganze Zahl ein, etwa 12.</translation>
    </message>
    <message>
        <source>Write at least one, each on a line of its own.</source>
        <translation>Geben Sie mindestens eins ein, jedes in einer eigenen Zeile.</translation>
    </message>
    <message>
        <source>Write how long, with its unit: 90s, 5m or 1h30m.</source>
        <translation>Geben Sie eine Dauer mit Einheit ein: 90s, 5m oder 1h30m.</translation>
    </message>
    <message>
        <source>Write one of: {choices}.</source>
        <translation>Geben Sie eins davon ein: {choices}.</translation>
    </message>
    <message>
        <source>Write the whole path, from the top.</source>
        <translation>Geben Sie den vollständigen Pfad ein.</translation>
    </message>
    <message>
        <source>Write yes or no.</source>
        <translation>Geben Sie yes (ja) oder no (nein) ein.</translation>
    </message>
    <message>
        <source>Write {what}, as JSON.</source>
        <translation>Einzugeben ist {what}, als JSON.</translation>
    </message>
    <message>
        <source>Write {what}.</source>
        <translation>Einzugeben ist {what}.</translation>
    </message>
    <message>
        <source>Yes</source>
        <translation>Ja</translation>
    </message>
    <message>
        <source>such as {example}</source>
        <translation>etwa {example}</translation>
    </message>
    <message>
        <source>{title} (optional)</source>
        <translation>{title} (optional)</translation>
    </message>
    <message>
        <source>“{path}” is a file. Choose a folder.</source>
        <translation>„{path}“ ist eine Datei. Wählen Sie einen Ordner.</translation>
    </message>
    <message>
        <source>“{path}” is a folder. Choose a file.</source>
        <translation>„{path}“ ist ein Ordner. Wählen Sie eine Datei.</translation>
    </message>
    <message>
        <source>“{path}” is not there. Check its name, or connect its disk.</source>
        <translation>„{path}“ ist nicht da. Prüfen Sie den Namen oder schließen Sie den Datenträger an.</translation>
    </message>
</context>
<context>
    <name>Frozen</name>
    <message>
        <source>Do not open</source>
        <translation>Nicht öffnen</translation>
    </message>
    <message>
        <source>End the frozen one</source>
        <translation>Hängendes Stepfast beenden</translation>
    </message>
    <message>
        <source>It may be busy, or stuck; waiting costs nothing, and this goes away by itself when it answers. Ending it loses nothing that its steps have recorded. Read-only, you can look at everything, and nothing is started or changed.

{folder}</source>
        <translation>Vielleicht ist es beschäftigt oder hängt; Warten kostet nichts, und dies verschwindet von selbst, wenn es antwortet. Beim Beenden geht nichts verloren, was seine Schritte aufgezeichnet haben. Schreibgeschützt können Sie alles ansehen, und nichts wird gestartet oder geändert.

{folder}</translation>
    </message>
    <message>
        <source>Open read-only</source>
        <translation>Schreibgeschützt öffnen</translation>
    </message>
    <message>
        <source>Stepfast is open already, but does not answer.</source>
        <translation>Stepfast ist schon geöffnet, antwortet aber nicht.</translation>
    </message>
</context>
<context>
    <name>Happened</name>
    <message numerus="yes">
        <source>%n workflow(s) carried on from the last step.</source>
        <translation>
            <numerusform>%n Workflow macht dort weiter, wo er war.</numerusform>
            <numerusform>%n Workflows machen dort weiter, wo sie waren.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) waiting for your answer.</source>
        <translation>
            <numerusform>%n Workflow wartet auf Ihre Antwort.</numerusform>
            <numerusform>%n Workflows warten auf Ihre Antwort.</numerusform>
        </translation>
    </message>
    <message>
        <source>Another Stepfast program was ended without warning.</source>
        <translation>Ein anderes Stepfast-Programm wurde ohne Vorwarnung beendet.</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Anzeigen</translation>
    </message>
    <message>
        <source>Stepfast was ended without warning.</source>
        <translation>Stepfast wurde ohne Vorwarnung beendet.</translation>
    </message>
    <message>
        <source>The clock was set back by {time}; what waits for a time waits that much longer.</source>
        <translation>Die Uhr wurde um {time} zurückgestellt; was auf eine Uhrzeit wartet, wartet um so viel länger.</translation>
    </message>
    <message>
        <source>The clock was set forward by {time}; what waited for a time until then begins.</source>
        <translation>Die Uhr wurde um {time} vorgestellt; was auf eine Uhrzeit bis dahin wartete, beginnt.</translation>
    </message>
    <message>
        <source>The computer slept for {time}.</source>
        <translation>Der Computer war {time} im Energiesparmodus.</translation>
    </message>
</context>
<context>
    <name>Help</name>
    <message>
        <source>About Stepfast</source>
        <translation>Über Stepfast</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <source>Free software, under the {mit}. It uses Qt, under the {lgpl}.</source>
        <translation>Freie Software unter der {mit}. Sie nutzt Qt unter der {lgpl}.</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Tasten</translation>
    </message>
    <message>
        <source>Long tasks that survive a crash: whatever is finished, is never started over.</source>
        <translation>Lange Aufgaben, die einen Absturz überstehen: Was fertig ist, beginnt nie von vorn.</translation>
    </message>
    <message>
        <source>MIT license</source>
        <translation>MIT-Lizenz</translation>
    </message>
</context>
<context>
    <name>Log</name>
    <message numerus="yes">
        <source>%n line(s)</source>
        <translation>
            <numerusform>%n Zeile</numerusform>
            <numerusform>%n Zeilen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n line(s) so far ...</source>
        <translation>
            <numerusform>Bisher %n Zeile …</numerusform>
            <numerusform>Bisher %n Zeilen …</numerusform>
        </translation>
    </message>
    <message>
        <source>All lines</source>
        <translation>Alle Zeilen</translation>
    </message>
    <message>
        <source>Errors</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>No line of this kind was logged.</source>
        <translation>Keine Zeile dieser Art wurde protokolliert.</translation>
    </message>
    <message>
        <source>Not found</source>
        <translation>Nicht gefunden</translation>
    </message>
    <message>
        <source>Reading ...</source>
        <translation>Wird gelesen …</translation>
    </message>
    <message>
        <source>Search in the log</source>
        <translation>Im Protokoll suchen</translation>
    </message>
    <message>
        <source>The next one (F3)</source>
        <translation>Nächste Fundstelle (F3)</translation>
    </message>
    <message>
        <source>The one before (Shift+F3)</source>
        <translation>Vorherige Fundstelle (Umschalt+F3)</translation>
    </message>
    <message>
        <source>Warnings and errors</source>
        <translation>Warnungen und Fehler</translation>
    </message>
    <message>
        <source>Which lines</source>
        <translation>Welche Zeilen</translation>
    </message>
    <message>
        <source>Without debug lines</source>
        <translation>Ohne Debug-Zeilen</translation>
    </message>
</context>
<context>
    <name>LoginStart</name>
    <message numerus="yes">
        <source>%n workflow(s) stood still since the computer was started. Stepfast can start when you log in.</source>
        <translation>
            <numerusform>%n Workflow stand still, seit der Computer gestartet wurde. Stepfast kann beim Anmelden starten.</numerusform>
            <numerusform>%n Workflows standen still, seit der Computer gestartet wurde. Stepfast kann beim Anmelden starten.</numerusform>
        </translation>
    </message>
    <message>
        <source>It cannot be set whether Stepfast starts at login: {error}</source>
        <translation>Ob Stepfast beim Anmelden startet, lässt sich nicht einstellen: {error}</translation>
    </message>
    <message>
        <source>Start when I log in</source>
        <translation>Beim Anmelden starten</translation>
    </message>
</context>
<context>
    <name>Mishaps</name>
    <message>
        <source>Copy details</source>
        <translation>Details kopieren</translation>
    </message>
    <message>
        <source>Open the log</source>
        <translation>Protokoll öffnen</translation>
    </message>
    <message>
        <source>Show file</source>
        <translation>Datei anzeigen</translation>
    </message>
    <message>
        <source>Something went wrong in Stepfast; your workflows go on. {error}</source>
        <translation>In Stepfast ist etwas schiefgegangen; Ihre Workflows laufen weiter. {error}</translation>
    </message>
    <message>
        <source>Stepfast crashed {time}. What was running carries on from its last finished step.</source>
        <translation>Stepfast ist abgestürzt ({time}). Was lief, macht nach seinem letzten fertigen Schritt weiter.</translation>
    </message>
</context>
<context>
    <name>Month</name>
    <message>
        <source>Apr</source>
        <translation>Apr.</translation>
    </message>
    <message>
        <source>Aug</source>
        <translation>Aug.</translation>
    </message>
    <message>
        <source>Dec</source>
        <translation>Dez.</translation>
    </message>
    <message>
        <source>Feb</source>
        <translation>Feb.</translation>
    </message>
    <message>
        <source>Jan</source>
        <translation>Jan.</translation>
    </message>
    <message>
        <source>Jul</source>
        <translation>Juli</translation>
    </message>
    <message>
        <source>Jun</source>
        <translation>Juni</translation>
    </message>
    <message>
        <source>Mar</source>
        <translation>März</translation>
    </message>
    <message>
        <source>May</source>
        <translation>Mai</translation>
    </message>
    <message>
        <source>Nov</source>
        <translation>Nov.</translation>
    </message>
    <message>
        <source>Oct</source>
        <translation>Okt.</translation>
    </message>
    <message>
        <source>Sep</source>
        <translation>Sept.</translation>
    </message>
</context>
<context>
    <name>NewWorkflow</name>
    <message>
        <source>A preset of “{title}”</source>
        <translation>Eine Vorlage von „{title}“</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Error: {text}</source>
        <translation>Fehler: {text}</translation>
    </message>
    <message>
        <source>It cannot be read: {reason}.</source>
        <translation>Nicht lesbar: {reason}.</translation>
    </message>
    <message>
        <source>It runs in another program, in a form that cannot be shown here. Start it there.</source>
        <translation>Das läuft in einem anderen Programm, mit einem Formular, das sich hier nicht zeigen lässt. Starten Sie es dort.</translation>
    </message>
    <message>
        <source>It was not started: {reason}.</source>
        <translation>Nicht gestartet: {reason}.</translation>
    </message>
    <message>
        <source>Looking ...</source>
        <translation>Wird geprüft …</translation>
    </message>
    <message>
        <source>New workflow</source>
        <translation>Neuer Workflow</translation>
    </message>
    <message>
        <source>Of this preset, this does not fit any more: {names}.</source>
        <translation>Aus dieser Vorlage passt nicht mehr: {names}.</translation>
    </message>
    <message>
        <source>Runs in another program that is open.</source>
        <translation>Läuft in einem anderen Programm, das geöffnet ist.</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Search the tasks</source>
        <translation>Aufgaben durchsuchen</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Starten</translation>
    </message>
    <message>
        <source>Start later</source>
        <translation>Später starten</translation>
    </message>
    <message>
        <source>Tasks</source>
        <translation>Aufgaben</translation>
    </message>
    <message>
        <source>There is nothing to start</source>
        <translation>Es gibt nichts zu starten</translation>
    </message>
    <message numerus="yes">
        <source>Those are %n thing(s). Drop one folder at a time: each becomes a workflow of its own.</source>
        <translation>
            <numerusform>Das ist %n Objekt. Ziehen Sie jeweils nur einen Ordner herein: Jeder wird ein eigener Workflow.</numerusform>
            <numerusform>Das sind %n Objekte. Ziehen Sie jeweils nur einen Ordner herein: Jeder wird ein eigener Workflow.</numerusform>
        </translation>
    </message>
    <message>
        <source>Warning: {text}</source>
        <translation>Warnung: {text}</translation>
    </message>
    <message>
        <source>What other programs offer cannot be read: {reason}.</source>
        <translation>Was andere Programme anbieten, ist nicht lesbar: {reason}.</translation>
    </message>
    <message>
        <source>What was dropped is no file or folder of this computer.</source>
        <translation>Was hereingezogen wurde, ist weder Datei noch Ordner dieses Computers.</translation>
    </message>
    <message>
        <source>What was found</source>
        <translation>Was gefunden wurde</translation>
    </message>
    <message>
        <source>{id} starts {time}</source>
        <translation>{id} startet: {time}</translation>
    </message>
    <message>
        <source>“{name}” is a file, and no task here takes a file. Drop a folder.</source>
        <translation>„{name}“ ist eine Datei, und keine Aufgabe hier nimmt eine Datei. Ziehen Sie einen Ordner herein.</translation>
    </message>
    <message>
        <source>“{name}” is a folder, and no task here takes a folder.</source>
        <translation>„{name}“ ist ein Ordner, und keine Aufgabe hier nimmt einen Ordner.</translation>
    </message>
    <message>
        <source>“{name}” is not known here, so it cannot be started anew.</source>
        <translation>„{name}“ ist hier unbekannt und lässt sich deshalb nicht neu starten.</translation>
    </message>
    <message>
        <source>“{name}” is not there, or cannot be read.</source>
        <translation>„{name}“ ist nicht da oder nicht lesbar.</translation>
    </message>
</context>
<context>
    <name>Notices</name>
    <message>
        <source>Close (Esc)</source>
        <translation>Schließen (Esc)</translation>
    </message>
    <message>
        <source>Close this notice</source>
        <translation>Diesen Hinweis schließen</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Notice</source>
        <translation>Hinweis</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>Warnung</translation>
    </message>
</context>
<context>
    <name>Notification</name>
    <message numerus="yes">
        <source>%n problem(s)</source>
        <translation>
            <numerusform>%n Problem</numerusform>
            <numerusform>%n Probleme</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) done</source>
        <translation>
            <numerusform>%n Workflow fertig</numerusform>
            <numerusform>%n Workflows fertig</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) failed</source>
        <translation>
            <numerusform>%n Workflow fehlgeschlagen</numerusform>
            <numerusform>%n Workflows fehlgeschlagen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) waiting for your answer</source>
        <translation>
            <numerusform>%n Workflow wartet auf Ihre Antwort</numerusform>
            <numerusform>%n Workflows warten auf Ihre Antwort</numerusform>
        </translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Anzeigen</translation>
    </message>
    <message>
        <source>{name}, after {time}</source>
        <translation>{name}, nach {time}</translation>
    </message>
    <message>
        <source>{name}, after {time}, {problems}</source>
        <translation>{name}, nach {time}, {problems}</translation>
    </message>
    <message>
        <source>{some} and others</source>
        <translation>{some} und andere</translation>
    </message>
    <message>
        <source>{task} failed</source>
        <translation>{task}: fehlgeschlagen</translation>
    </message>
    <message>
        <source>{task} is done</source>
        <translation>{task}: fertig</translation>
    </message>
    <message>
        <source>{task} needs your answer</source>
        <translation>{task}: Ihre Antwort ist nötig</translation>
    </message>
</context>
<context>
    <name>Number</name>
    <message>
        <source>{n}%</source>
        <comment>a percentage</comment>
        <translation>{n}&#xa0;%</translation>
    </message>
</context>
<context>
    <name>Presets</name>
    <message>
        <source>Delete preset</source>
        <translation>Vorlage löschen</translation>
    </message>
    <message>
        <source>Name of the preset (one of that name is replaced):</source>
        <translation>Name der Vorlage (eine gleichen Namens wird ersetzt):</translation>
    </message>
    <message>
        <source>New name:</source>
        <translation>Neuer Name:</translation>
    </message>
    <message>
        <source>Preset: {title}</source>
        <translation>Vorlage: {title}</translation>
    </message>
    <message>
        <source>Presets</source>
        <translation>Vorlagen</translation>
    </message>
    <message>
        <source>Rename preset</source>
        <translation>Vorlage umbenennen</translation>
    </message>
    <message>
        <source>Rename preset ...</source>
        <translation>Vorlage umbenennen …</translation>
    </message>
    <message>
        <source>Reset to defaults</source>
        <translation>Auf Standard zurücksetzen</translation>
    </message>
    <message>
        <source>Save as preset</source>
        <translation>Als Vorlage speichern</translation>
    </message>
    <message>
        <source>Save as preset ...</source>
        <translation>Als Vorlage speichern …</translation>
    </message>
</context>
<context>
    <name>Problem</name>
    <message>
        <source>Another version of Stepfast has this folder open. Quit that one first.</source>
        <translation>Eine andere Version von Stepfast hat diesen Ordner geöffnet. Beenden Sie diese zuerst.</translation>
    </message>
    <message>
        <source>Open the backup of {made_at}</source>
        <translation>Sicherung vom {made_at} öffnen</translation>
    </message>
    <message>
        <source>The file of your workflows is damaged. Nothing was written to it.</source>
        <translation>Die Datei Ihrer Workflows ist beschädigt. Es wurde nichts in sie geschrieben.</translation>
    </message>
    <message numerus="yes">
        <source>There is a backup of {made_at}, with %n workflow(s). What was done since then is not in it. The damaged file is kept beside it:
{path}</source>
        <translation>
            <numerusform>Es gibt eine Sicherung vom {made_at} mit %n Workflow. Was seitdem geschah, ist nicht darin. Die beschädigte Datei bleibt daneben erhalten:
{path}</numerusform>
            <numerusform>Es gibt eine Sicherung vom {made_at} mit %n Workflows. Was seitdem geschah, ist nicht darin. Die beschädigte Datei bleibt daneben erhalten:
{path}</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Progress</name>
    <message>
        <source>{count} so far</source>
        <translation>Bisher {count}</translation>
    </message>
    <message>
        <source>{percent}, {said}</source>
        <translation>{percent}, {said}</translation>
    </message>
</context>
<context>
    <name>Questions</name>
    <message>
        <source>&amp;Give up: the step fails</source>
        <translation>&amp;Aufgeben: Der Schritt schlägt fehl</translation>
    </message>
    <message>
        <source>&amp;No, do it again</source>
        <translation>&amp;Nein, noch einmal tun</translation>
    </message>
    <message>
        <source>&amp;Yes, and it came to this value:</source>
        <translation>&amp;Ja, und das kam heraus:</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>Antworten</translation>
    </message>
    <message>
        <source>Did “{step}” happen?</source>
        <translation>Ist „{step}“ geschehen?</translation>
    </message>
    <message>
        <source>No</source>
        <translation>Nein</translation>
    </message>
    <message>
        <source>Something is not filled in right yet.</source>
        <translation>Etwas ist noch nicht richtig ausgefüllt.</translation>
    </message>
    <message>
        <source>The program ended while this step ran. Look whether what it does was done; nobody else can tell.</source>
        <translation>Das Programm endete, während dieser Schritt lief. Sehen Sie nach, ob seine Arbeit getan ist; das kann sonst niemand sagen.</translation>
    </message>
    <message>
        <source>The value that the step came to</source>
        <translation>Der Wert, den der Schritt ergab</translation>
    </message>
    <message>
        <source>What it asks</source>
        <translation>Was er fragt</translation>
    </message>
    <message>
        <source>Yes</source>
        <translation>Ja</translation>
    </message>
    <message>
        <source>Your answer</source>
        <translation>Ihre Antwort</translation>
    </message>
    <message>
        <source>text, or a value as JSON; nothing where it is empty</source>
        <translation>Text oder ein Wert als JSON; nichts, wenn leer</translation>
    </message>
</context>
<context>
    <name>Quitting</name>
    <message numerus="yes">
        <source>%n workflow(s) still to be finished.</source>
        <translation>
            <numerusform>%n Workflow ist noch nicht fertig.</numerusform>
            <numerusform>%n Workflows sind noch nicht fertig.</numerusform>
        </translation>
    </message>
    <message>
        <source>Do not quit</source>
        <translation>Nicht beenden</translation>
    </message>
    <message>
        <source>Keep running in the background</source>
        <translation>Im Hintergrund weiterlaufen</translation>
    </message>
    <message numerus="yes">
        <source>Parking what runs, for at most %n second(s) more.</source>
        <translation>
            <numerusform>Was läuft, wird geparkt, noch höchstens %n Sekunde.</numerusform>
            <numerusform>Was läuft, wird geparkt, noch höchstens %n Sekunden.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Parking what runs, for at most %n second(s) more: {names}</source>
        <translation>
            <numerusform>Was läuft, wird geparkt, noch höchstens %n Sekunde: {names}</numerusform>
            <numerusform>Was läuft, wird geparkt, noch höchstens %n Sekunden: {names}</numerusform>
        </translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>Quit now</source>
        <translation>Jetzt beenden</translation>
    </message>
    <message>
        <source>Quit whenever you like: what is done stays done, and the rest carries on where it was as soon as Stepfast is opened again. Or let it go on now, without a window.</source>
        <translation>Beenden Sie Stepfast, wann Sie wollen: Was fertig ist, bleibt fertig, und der Rest macht dort weiter, wo er war, sobald Sie es wieder öffnen. Oder lassen Sie es jetzt ohne Fenster weiterlaufen.</translation>
    </message>
    <message>
        <source>Start Stepfast when I log in</source>
        <translation>Stepfast beim Anmelden starten</translation>
    </message>
</context>
<context>
    <name>ReadOnly</name>
    <message>
        <source>Read-only: {file} cannot be written. What you see is as it was {time}; nothing is started or changed here. Give yourself permission to write there, or mount the disk for writing, and start Stepfast again.</source>
        <translation>Schreibgeschützt: {file} kann nicht geschrieben werden. Sie sehen den Stand von: {time}. Hier wird nichts gestartet oder geändert. Geben Sie sich dort Schreibrechte, oder hängen Sie den Datenträger zum Schreiben ein, und starten Sie Stepfast neu.</translation>
    </message>
    <message>
        <source>This window is read-only: nothing is started or changed in it</source>
        <translation>Dieses Fenster ist schreibgeschützt: Hier wird nichts gestartet oder geändert</translation>
    </message>
</context>
<context>
    <name>Records</name>
    <message>
        <source>Copy value</source>
        <translation>Wert kopieren</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Nothing is recorded yet.</source>
        <translation>Noch ist nichts aufgezeichnet.</translation>
    </message>
    <message>
        <source>Records</source>
        <translation>Einträge</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>answer</source>
        <translation>Antwort</translation>
    </message>
    <message>
        <source>attempt</source>
        <translation>Versuch</translation>
    </message>
    <message>
        <source>begun</source>
        <translation>begonnen</translation>
    </message>
    <message>
        <source>message</source>
        <translation>Nachricht</translation>
    </message>
    <message>
        <source>sleep</source>
        <translation>Ruhezeit</translation>
    </message>
    <message>
        <source>step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>task ended</source>
        <translation>Aufgabe beendet</translation>
    </message>
    <message>
        <source>task started</source>
        <translation>Aufgabe gestartet</translation>
    </message>
</context>
<context>
    <name>Restored</name>
    <message>
        <source>Open folder</source>
        <translation>Ordner öffnen</translation>
    </message>
    <message>
        <source>The file before it is kept as {name}.</source>
        <translation>Die bisherige Datei ist noch da, als {name}.</translation>
    </message>
    <message>
        <source>This is a backup.</source>
        <translation>Dies ist eine Sicherung.</translation>
    </message>
    <message>
        <source>This is the backup of {time}.</source>
        <translation>Dies ist die Sicherung von {time}.</translation>
    </message>
</context>
<context>
    <name>Schedules</name>
    <message>
        <source>&amp;Edit ...</source>
        <translation>&amp;Bearbeiten …</translation>
    </message>
    <message>
        <source>&amp;Name</source>
        <translation>&amp;Name</translation>
    </message>
    <message>
        <source>&amp;New ...</source>
        <translation>&amp;Neu …</translation>
    </message>
    <message>
        <source>&amp;Run now</source>
        <translation>&amp;Jetzt starten</translation>
    </message>
    <message>
        <source>&amp;Task</source>
        <translation>&amp;Aufgabe</translation>
    </message>
    <message>
        <source>&amp;Undo remove</source>
        <translation>Entfernen &amp;rückgängig</translation>
    </message>
    <message>
        <source>&amp;When</source>
        <translation>&amp;Wann</translation>
    </message>
    <message>
        <source>A name stays; its runs are called by it.</source>
        <translation>Ein Name bleibt; die Läufe heißen nach ihm.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Change a schedule</source>
        <translation>Zeitplan ändern</translation>
    </message>
    <message>
        <source>Choose a day at least.</source>
        <translation>Wählen Sie mindestens einen Tag.</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>How many</source>
        <translation>Wie viele</translation>
    </message>
    <message>
        <source>It needs a name.</source>
        <translation>Er braucht einen Namen.</translation>
    </message>
    <message>
        <source>It was not kept: {reason}</source>
        <translation>Nicht gespeichert: {reason}</translation>
    </message>
    <message>
        <source>Its input does not fit any more: {reason}</source>
        <translation>Die Eingabe passt nicht mehr: {reason}</translation>
    </message>
    <message>
        <source>Last</source>
        <translation>Letzter Lauf</translation>
    </message>
    <message>
        <source>Make &amp;up for missed runs, with one</source>
        <translation>&amp;Verpasste Läufe mit einem einzigen nachholen</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>New schedule</source>
        <translation>Neuer Zeitplan</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>Nächster Lauf</translation>
    </message>
    <message>
        <source>Nothing is scheduled. A schedule starts a workflow again and again, whenever Stepfast is open, or at work in the background.</source>
        <translation>Nichts ist geplant. Ein Zeitplan startet einen Workflow immer wieder, solange Stepfast geöffnet ist oder im Hintergrund arbeitet.</translation>
    </message>
    <message>
        <source>Of what</source>
        <translation>Wovon</translation>
    </message>
    <message>
        <source>Re&amp;move</source>
        <translation>&amp;Entfernen</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Schedules</source>
        <translation>Zeitpläne</translation>
    </message>
    <message>
        <source>Small letters a to z, digits, dots, dashes and underscores, at most 100.</source>
        <translation>Kleinbuchstaben a bis z, Ziffern, Punkte, Binde- und Unterstriche, höchstens 100.</translation>
    </message>
    <message>
        <source>Switch &amp;on</source>
        <translation>E&amp;inschalten</translation>
    </message>
    <message>
        <source>Switch o&amp;ff</source>
        <translation>A&amp;usschalten</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>Aufgabe</translation>
    </message>
    <message>
        <source>That was not done: {reason}</source>
        <translation>Das ging nicht: {reason}</translation>
    </message>
    <message>
        <source>The schedules cannot be read: {reason}</source>
        <translation>Die Zeitpläne sind nicht lesbar: {reason}</translation>
    </message>
    <message>
        <source>There is a schedule of that name.</source>
        <translation>Einen Zeitplan mit diesem Namen gibt es schon.</translation>
    </message>
    <message>
        <source>There is a schedule {name} again, which stays as it is.</source>
        <translation>Es gibt wieder einen Zeitplan {name}; er bleibt, wie er ist.</translation>
    </message>
    <message>
        <source>This task belongs to another program; its input stays as it is.</source>
        <translation>Diese Aufgabe gehört zu einem anderen Programm; ihre Eingabe bleibt, wie sie ist.</translation>
    </message>
    <message>
        <source>Time of day</source>
        <translation>Uhrzeit</translation>
    </message>
    <message>
        <source>When</source>
        <translation>Wann</translation>
    </message>
    <message>
        <source>a rule that this version does not know</source>
        <translation>eine Regel, die diese Version nicht kennt</translation>
    </message>
    <message>
        <source>again and again, every</source>
        <translation>immer wieder, alle</translation>
    </message>
    <message>
        <source>daily at</source>
        <translation>täglich um</translation>
    </message>
    <message>
        <source>daily at {clock}</source>
        <translation>täglich um {clock}</translation>
    </message>
    <message>
        <source>days</source>
        <translation>Tage</translation>
    </message>
    <message>
        <source>every {time}</source>
        <translation>alle {time}</translation>
    </message>
    <message>
        <source>for instance: nightly-copy</source>
        <translation>zum Beispiel: nightly-copy</translation>
    </message>
    <message>
        <source>hours</source>
        <translation>Stunden</translation>
    </message>
    <message>
        <source>minutes</source>
        <translation>Minuten</translation>
    </message>
    <message>
        <source>never: this computer cannot tell when</source>
        <translation>nie: Dieser Computer kennt den Zeitpunkt nicht</translation>
    </message>
    <message>
        <source>not yet</source>
        <translation>noch nie</translation>
    </message>
    <message>
        <source>off</source>
        <translation>ausgeschaltet</translation>
    </message>
    <message>
        <source>on some days of the week at</source>
        <translation>an bestimmten Wochentagen um</translation>
    </message>
    <message>
        <source>seconds</source>
        <translation>Sekunden</translation>
    </message>
    <message>
        <source>{days} at {clock}</source>
        <translation>{days} um {clock}</translation>
    </message>
    <message>
        <source>{id} has started</source>
        <translation>{id} ist gestartet</translation>
    </message>
    <message>
        <source>{name} is back</source>
        <translation>{name} ist wieder da</translation>
    </message>
    <message>
        <source>{name} is removed</source>
        <translation>{name} ist entfernt</translation>
    </message>
    <message>
        <source>{name} is switched off</source>
        <translation>{name} ist ausgeschaltet</translation>
    </message>
    <message>
        <source>{name} is switched on</source>
        <translation>{name} ist eingeschaltet</translation>
    </message>
    <message>
        <source>{text} ({zone})</source>
        <translation>{text} ({zone})</translation>
    </message>
    <message>
        <source>{time}: {state}</source>
        <translation>{time}: {state}</translation>
    </message>
</context>
<context>
    <name>Settings</name>
    <message>
        <source>&amp;Appearance</source>
        <translation>&amp;Darstellung</translation>
    </message>
    <message>
        <source>&amp;General</source>
        <translation>&amp;Allgemein</translation>
    </message>
    <message>
        <source>&amp;Keep what has finished for</source>
        <translation>Beendete behalten &amp;für</translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation>&amp;Sprache</translation>
    </message>
    <message>
        <source>&amp;Notifications</source>
        <translation>&amp;Benachrichtigungen</translation>
    </message>
    <message>
        <source>&amp;Run at once</source>
        <translation>&amp;Gleichzeitig höchstens</translation>
    </message>
    <message>
        <source>&amp;Speed limit for copying</source>
        <translation>Tem&amp;polimit beim Kopieren</translation>
    </message>
    <message>
        <source>&amp;Start Stepfast when I log in</source>
        <translation>Stepfast beim An&amp;melden starten</translation>
    </message>
    <message>
        <source>&amp;Workflows</source>
        <translation>&amp;Workflows</translation>
    </message>
    <message>
        <source>A whole number from {least} to {most}</source>
        <translation>Eine ganze Zahl von {least} bis {most}</translation>
    </message>
    <message>
        <source>All copying of this program together, at once; checking a copy counts too.</source>
        <translation>Alles Kopieren dieses Programms zusammen; auch das Prüfen einer Kopie zählt.</translation>
    </message>
    <message>
        <source>Always, on battery too</source>
        <translation>Immer, auch im Akkubetrieb</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>Wie das System</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Closing the lid puts it to sleep all the same.</source>
        <translation>Zugeklappt geht er trotzdem in den Energiesparmodus.</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Dunkel</translation>
    </message>
    <message>
        <source>Errors</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Everything</source>
        <translation>Alles</translation>
    </message>
    <message>
        <source>Go on in the background, without a window</source>
        <translation>Im Hintergrund weiterlaufen, ohne Fenster</translation>
    </message>
    <message>
        <source>Hide the window, and go on</source>
        <translation>Fenster ausblenden und weiterlaufen</translation>
    </message>
    <message>
        <source>How many run at the same time, in all programs on this file together. What runs already goes on.</source>
        <translation>Wie viele gleichzeitig laufen, in allen Programmen an dieser Datei zusammen. Was schon läuft, läuft weiter.</translation>
    </message>
    <message>
        <source>Keep in the l&amp;og</source>
        <translation>Ins &amp;Protokoll kommen</translation>
    </message>
    <message>
        <source>Keep the computer &amp;awake while one runs</source>
        <translation>Computer wach &amp;halten, wenn einer läuft</translation>
    </message>
    <message>
        <source>L&amp;imits</source>
        <translation>Limi&amp;ts</translation>
    </message>
    <message>
        <source>L&amp;ong is what took at least</source>
        <translation>&amp;Lang heißt: mindestens</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Hell</translation>
    </message>
    <message>
        <source>MB/s</source>
        <translation>MB/s</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>Nie</translation>
    </message>
    <message>
        <source>Notify me, while the window is out of sight, when:</source>
        <translation>Bei nicht sichtbarem Fenster benachrichtigen, wenn:</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>Ordner öffnen</translation>
    </message>
    <message>
        <source>Queue “{queue}”</source>
        <translation>Warteschlange „{queue}“</translation>
    </message>
    <message>
        <source>Quit; what runs carries on the next time</source>
        <translation>Beenden; was läuft, macht beim nächsten Mal weiter</translation>
    </message>
    <message>
        <source>Set the file aside</source>
        <translation>Datei beiseitelegen</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Show an icon in the &amp;tray, where there is one</source>
        <translation>Symbol im &amp;Infobereich zeigen, wenn es einen gibt</translation>
    </message>
    <message>
        <source>Stepfast speaks it from its next start on.</source>
        <translation>Stepfast spricht sie ab dem nächsten Start.</translation>
    </message>
    <message>
        <source>That could not be changed: {reason}</source>
        <translation>Das ließ sich nicht ändern: {reason}</translation>
    </message>
    <message>
        <source>The settings cannot be kept in {file}: {reason}</source>
        <translation>Die Einstellungen können nicht in {file} behalten werden: {reason}</translation>
    </message>
    <message>
        <source>The settings in {file} cannot be read, so the usual ones count, and what you change is not kept: {reason}</source>
        <translation>Die Einstellungen in {file} können nicht gelesen werden. Es gelten die üblichen, und was Sie ändern, wird nicht behalten: {reason}</translation>
    </message>
    <message>
        <source>This program has no tasks.</source>
        <translation>Dieses Programm hat keine Aufgaben.</translation>
    </message>
    <message>
        <source>Warnings</source>
        <translation>Warnungen</translation>
    </message>
    <message>
        <source>What happens</source>
        <translation>Was geschieht</translation>
    </message>
    <message>
        <source>What is older goes within the hour, from this list only: files that a workflow made stay.</source>
        <translation>Älteres verschwindet binnen einer Stunde, aber nur aus dieser Liste: Dateien, die ein Workflow erstellt hat, bleiben.</translation>
    </message>
    <message>
        <source>When the window is &amp;closed</source>
        <translation>Beim S&amp;chließen des Fensters</translation>
    </message>
    <message>
        <source>While on mains power</source>
        <translation>Im Netzbetrieb</translation>
    </message>
    <message>
        <source>a &amp;long one has finished</source>
        <translation>ein langer &amp;fertig ist</translation>
    </message>
    <message>
        <source>a workflow has &amp;failed</source>
        <translation>ein Workflow f&amp;ehlgeschlagen ist</translation>
    </message>
    <message>
        <source>a workflow has a &amp;question for me</source>
        <translation>ein Workflow eine F&amp;rage an mich hat</translation>
    </message>
    <message>
        <source>and at &amp;most</source>
        <translation>und h&amp;öchstens</translation>
    </message>
    <message>
        <source>at once at most</source>
        <translation>höchstens gleichzeitig</translation>
    </message>
    <message>
        <source>days</source>
        <translation>Tage</translation>
    </message>
    <message>
        <source>keep all</source>
        <translation>alle behalten</translation>
    </message>
    <message>
        <source>minutes</source>
        <translation>Minuten</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>unbegrenzt</translation>
    </message>
    <message>
        <source>workflows</source>
        <translation>Workflows</translation>
    </message>
    <message>
        <source>workflows at most</source>
        <translation>Workflows</translation>
    </message>
    <message>
        <source>{number}, or nothing: {none}</source>
        <translation>{number} oder nichts: {none}</translation>
    </message>
</context>
<context>
    <name>Sidebar</name>
    <message>
        <source>All</source>
        <translation>Alle</translation>
    </message>
    <message>
        <source>Blocked</source>
        <translation>Blockiert</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>Abgebrochen</translation>
    </message>
    <message>
        <source>Completed</source>
        <translation>Abgeschlossen</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Fehlgeschlagen</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>Beendet</translation>
    </message>
    <message>
        <source>Needs you</source>
        <translation>Braucht Sie</translation>
    </message>
    <message>
        <source>No blocked workflows match “{text}”.</source>
        <translation>Keine blockierten Workflows passen zu „{text}“.</translation>
    </message>
    <message>
        <source>No cancelled workflows match “{text}”.</source>
        <translation>Keine abgebrochenen Workflows passen zu „{text}“.</translation>
    </message>
    <message>
        <source>No completed workflows match “{text}”.</source>
        <translation>Keine abgeschlossenen Workflows passen zu „{text}“.</translation>
    </message>
    <message>
        <source>No failed workflows match “{text}”.</source>
        <translation>Keine fehlgeschlagenen Workflows passen zu „{text}“.</translation>
    </message>
    <message>
        <source>No finished workflows match “{text}”.</source>
        <translation>Keine beendeten Workflows passen zu „{text}“.</translation>
    </message>
    <message>
        <source>No paused workflows match “{text}”.</source>
        <translation>Keine pausierten Workflows passen zu „{text}“.</translation>
    </message>
    <message>
        <source>No pending workflows match “{text}”.</source>
        <translation>Keine offenen Workflows passen zu „{text}“.</translation>
    </message>
    <message>
        <source>No queued workflows match “{text}”.</source>
        <translation>Keine eingereihten Workflows passen zu „{text}“.</translation>
    </message>
    <message>
        <source>No removed workflows match “{text}”.</source>
        <translation>Keine entfernten Workflows passen zu „{text}“.</translation>
    </message>
    <message>
        <source>No running workflows match “{text}”.</source>
        <translation>Keine laufenden Workflows passen zu „{text}“.</translation>
    </message>
    <message>
        <source>No sleeping workflows match “{text}”.</source>
        <translation>Keine ruhenden Workflows passen zu „{text}“.</translation>
    </message>
    <message>
        <source>No waiting workflows match “{text}”.</source>
        <translation>Keine wartenden Workflows passen zu „{text}“.</translation>
    </message>
    <message>
        <source>No workflows completed with problems.</source>
        <translation>Kein Workflow wurde mit Problemen abgeschlossen.</translation>
    </message>
    <message>
        <source>No workflows match “{text}”.</source>
        <translation>Keine Workflows passen zu „{text}“.</translation>
    </message>
    <message>
        <source>No workflows need you now.</source>
        <translation>Zurzeit braucht Sie kein Workflow.</translation>
    </message>
    <message>
        <source>No workflows that completed with problems match “{text}”.</source>
        <translation>Kein Workflow, der mit Problemen abgeschlossen wurde, passt zu „{text}“.</translation>
    </message>
    <message>
        <source>No workflows that need you match “{text}”.</source>
        <translation>Kein Workflow, der Sie braucht, passt zu „{text}“.</translation>
    </message>
    <message>
        <source>Nothing was removed in the last day.</source>
        <translation>In den letzten 24 Stunden wurde nichts entfernt.</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Pausiert</translation>
    </message>
    <message>
        <source>Pending</source>
        <translation>Offen</translation>
    </message>
    <message>
        <source>Queued</source>
        <translation>Eingereiht</translation>
    </message>
    <message>
        <source>Recently removed</source>
        <translation>Kürzlich entfernt</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>Läuft</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Anzeigen</translation>
    </message>
    <message>
        <source>Sleeping</source>
        <translation>Ruht</translation>
    </message>
    <message>
        <source>There are no blocked workflows.</source>
        <translation>Es gibt keine blockierten Workflows.</translation>
    </message>
    <message>
        <source>There are no cancelled workflows.</source>
        <translation>Es gibt keine abgebrochenen Workflows.</translation>
    </message>
    <message>
        <source>There are no completed workflows.</source>
        <translation>Es gibt keine abgeschlossenen Workflows.</translation>
    </message>
    <message>
        <source>There are no failed workflows.</source>
        <translation>Es gibt keine fehlgeschlagenen Workflows.</translation>
    </message>
    <message>
        <source>There are no finished workflows.</source>
        <translation>Es gibt keine beendeten Workflows.</translation>
    </message>
    <message>
        <source>There are no paused workflows.</source>
        <translation>Es gibt keine pausierten Workflows.</translation>
    </message>
    <message>
        <source>There are no pending workflows.</source>
        <translation>Es gibt keine offenen Workflows.</translation>
    </message>
    <message>
        <source>There are no queued workflows.</source>
        <translation>Es gibt keine eingereihten Workflows.</translation>
    </message>
    <message>
        <source>There are no running workflows.</source>
        <translation>Es gibt keine laufenden Workflows.</translation>
    </message>
    <message>
        <source>There are no sleeping workflows.</source>
        <translation>Es gibt keine ruhenden Workflows.</translation>
    </message>
    <message>
        <source>There are no waiting workflows.</source>
        <translation>Es gibt keine wartenden Workflows.</translation>
    </message>
    <message>
        <source>There are no workflows.</source>
        <translation>Es gibt keine Workflows.</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>Wartet</translation>
    </message>
    <message>
        <source>With problems</source>
        <translation>Mit Problemen</translation>
    </message>
    <message>
        <source>{title}, {count}</source>
        <translation>{title}, {count}</translation>
    </message>
</context>
<context>
    <name>Size</name>
    <message numerus="yes">
        <source>%n byte(s)</source>
        <translation>
            <numerusform>%n Byte</numerusform>
            <numerusform>%n Bytes</numerusform>
        </translation>
    </message>
    <message>
        <source>{n} {unit}</source>
        <translation>{n} {unit}</translation>
    </message>
</context>
<context>
    <name>StartOptions</name>
    <message>
        <source>A name has at most {most} characters, all of them visible.</source>
        <translation>Ein Name hat höchstens {most} Zeichen, alle davon sichtbar.</translation>
    </message>
    <message>
        <source>At once at most</source>
        <translation>Gleichzeitig höchstens</translation>
    </message>
    <message>
        <source>How many of this kind may run at once, this one and all others; empty for any number</source>
        <translation>Wie viele dieser Art gleichzeitig laufen dürfen, dieser und alle anderen; leer für beliebig viele</translation>
    </message>
    <message>
        <source>It waits until then, whether this program runs meanwhile or not</source>
        <translation>Er wartet bis dahin, auch wenn dieses Programm zwischendurch nicht läuft</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Priority</source>
        <translation>Priorität</translation>
    </message>
    <message>
        <source>Start later</source>
        <translation>Später starten</translation>
    </message>
    <message>
        <source>The higher goes first among what is ready</source>
        <translation>Von allem, was bereit ist, kommt die höhere zuerst</translation>
    </message>
    <message>
        <source>There is a workflow of that name already.</source>
        <translation>Einen Workflow mit diesem Namen gibt es schon.</translation>
    </message>
    <message>
        <source>This moment is past.</source>
        <translation>Dieser Zeitpunkt ist vorbei.</translation>
    </message>
    <message>
        <source>What it is called in the list; one is made up where this is empty</source>
        <translation>Sein Name in der Liste; bleibt das Feld leer, wird einer erzeugt</translation>
    </message>
</context>
<context>
    <name>State</name>
    <message numerus="yes">
        <source>%n problem(s)</source>
        <translation>
            <numerusform>%n Problem</numerusform>
            <numerusform>%n Probleme</numerusform>
        </translation>
    </message>
    <message>
        <source>Asks: {question}</source>
        <translation>Fragt: {question}</translation>
    </message>
    <message>
        <source>Blocked: did “{step}” happen?</source>
        <translation>Blockiert: Ist „{step}“ geschehen?</translation>
    </message>
    <message>
        <source>Blocked: needs you</source>
        <translation>Blockiert: braucht Sie</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>Abgebrochen</translation>
    </message>
    <message>
        <source>Cancelling</source>
        <translation>Wird abgebrochen</translation>
    </message>
    <message>
        <source>Completed</source>
        <translation>Abgeschlossen</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Fehlgeschlagen</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Pausiert</translation>
    </message>
    <message>
        <source>Pausing</source>
        <translation>Wird pausiert</translation>
    </message>
    <message>
        <source>Queued</source>
        <translation>Eingereiht</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>Läuft</translation>
    </message>
    <message>
        <source>Sleeping until {time}</source>
        <translation>Ruht bis {time}</translation>
    </message>
    <message>
        <source>Trying again at {time}, attempt {attempt} of {attempts}: {error}</source>
        <translation>Neuer Versuch {time} ({attempt} von {attempts}): {error}</translation>
    </message>
    <message>
        <source>Waiting for a message</source>
        <translation>Wartet auf eine Nachricht</translation>
    </message>
    <message>
        <source>Waiting for an answer</source>
        <translation>Wartet auf eine Antwort</translation>
    </message>
    <message>
        <source>Waiting for another task</source>
        <translation>Wartet auf eine andere Aufgabe</translation>
    </message>
    <message>
        <source>{state}, {problems}</source>
        <translation>{state}, {problems}</translation>
    </message>
</context>
<context>
    <name>Table</name>
    <message numerus="yes">
        <source>%n child workflow(s)</source>
        <translation>
            <numerusform>%n Unter-Workflow</numerusform>
            <numerusform>%n Unter-Workflows</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n failed</source>
        <comment>of the children of a row</comment>
        <translation>
            <numerusform>%n fehlgeschlagen</numerusform>
            <numerusform>%n fehlgeschlagen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n finished</source>
        <comment>of the children of a row</comment>
        <translation>
            <numerusform>%n beendet</numerusform>
            <numerusform>%n beendet</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>(%n)</source>
        <comment>how many children a row has</comment>
        <translation>
            <numerusform>(%n)</numerusform>
            <numerusform>(%n)</numerusform>
        </translation>
    </message>
    <message>
        <source>({children}, {failed})</source>
        <translation>({children}, {failed})</translation>
    </message>
    <message>
        <source>As they will run</source>
        <translation>Wie sie laufen werden</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>Spalten</translation>
    </message>
    <message>
        <source>Elapsed</source>
        <translation>Laufzeit</translation>
    </message>
    <message>
        <source>Failed attempts</source>
        <translation>Fehlversuche</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>Beendet</translation>
    </message>
    <message>
        <source>Id</source>
        <translation>ID</translation>
    </message>
    <message>
        <source>In reverse</source>
        <translation>Umgekehrt</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Or let it go on with version {version}, which does not say that it can: {command}</source>
        <translation>Oder lassen Sie ihn mit Version {version} weitermachen, die nicht angibt, dass sie es kann: {command}</translation>
    </message>
    <message>
        <source>Pending first</source>
        <translation>Offene zuerst</translation>
    </message>
    <message>
        <source>Priority</source>
        <translation>Priorität</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Fortschritt</translation>
    </message>
    <message>
        <source>Queued: nothing running can do this</source>
        <translation>Eingereiht: Nichts, was läuft, kann dies ausführen</translation>
    </message>
    <message>
        <source>Remaining</source>
        <translation>Restzeit</translation>
    </message>
    <message>
        <source>Reset columns</source>
        <translation>Spalten zurücksetzen</translation>
    </message>
    <message>
        <source>Sort by</source>
        <translation>Sortieren nach</translation>
    </message>
    <message>
        <source>Start a program that has {name}, version {version}, for instance:</source>
        <translation>Starten Sie ein Programm, das {name}, Version {version}, hat, zum Beispiel:</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>Gestartet</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>Version</translation>
    </message>
    <message>
        <source>Workflows</source>
        <translation>Workflows</translation>
    </message>
    <message>
        <source>child of {parent}</source>
        <translation>gehört zu {parent}</translation>
    </message>
    <message>
        <source>collapsed</source>
        <translation>zugeklappt</translation>
    </message>
    <message>
        <source>expanded</source>
        <translation>aufgeklappt</translation>
    </message>
</context>
<context>
    <name>Text</name>
    <message>
        <source>, </source>
        <comment>between the things of a list</comment>
        <translation>, </translation>
    </message>
    <message>
        <source>. </source>
        <comment>between two sentences</comment>
        <translation>. </translation>
    </message>
    <message>
        <source>{label}: {text}</source>
        <translation>{label}: {text}</translation>
    </message>
</context>
<context>
    <name>Time</name>
    <message>
        <source>a moment ago</source>
        <translation>gerade eben</translation>
    </message>
    <message>
        <source>in a moment</source>
        <translation>gleich</translation>
    </message>
    <message>
        <source>today {clock}</source>
        <translation>heute {clock}</translation>
    </message>
    <message>
        <source>tomorrow {clock}</source>
        <translation>morgen {clock}</translation>
    </message>
    <message>
        <source>yesterday {clock}</source>
        <translation>gestern {clock}</translation>
    </message>
    <message>
        <source>{day} {clock}</source>
        <translation>{day} {clock}</translation>
    </message>
    <message>
        <source>{day} {month}</source>
        <translation>{day}. {month}</translation>
    </message>
    <message>
        <source>{day} {month} {year}</source>
        <translation>{day}. {month} {year}</translation>
    </message>
</context>
<context>
    <name>Timeline</name>
    <message numerus="yes">
        <source>%n attempt(s)</source>
        <translation>
            <numerusform>%n Versuch</numerusform>
            <numerusform>%n Versuche</numerusform>
        </translation>
    </message>
    <message>
        <source>All</source>
        <translation>Alles</translation>
    </message>
    <message>
        <source>Plus and minus zoom, left and right move, 0 shows all of it</source>
        <translation>Plus und Minus zoomen, links und rechts verschieben, 0 zeigt alles</translation>
    </message>
    <message>
        <source>Show all of it (0)</source>
        <translation>Alles zeigen (0)</translation>
    </message>
    <message>
        <source>Task: {name}</source>
        <translation>Aufgabe: {name}</translation>
    </message>
    <message>
        <source>Ti&amp;meline</source>
        <translation>&amp;Zeitachse</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>Zeitachse</translation>
    </message>
    <message>
        <source>Zoom in (+)</source>
        <translation>Vergrößern (+)</translation>
    </message>
    <message>
        <source>Zoom out (-)</source>
        <translation>Verkleinern (-)</translation>
    </message>
    <message>
        <source>attempt {number}, done</source>
        <translation>Versuch {number}, fertig</translation>
    </message>
    <message>
        <source>attempt {number}, failed</source>
        <translation>Versuch {number}, fehlgeschlagen</translation>
    </message>
    <message>
        <source>attempt {number}, interrupted</source>
        <translation>Versuch {number}, unterbrochen</translation>
    </message>
    <message>
        <source>attempt {number}, running</source>
        <translation>Versuch {number}, läuft</translation>
    </message>
    <message>
        <source>done</source>
        <translation>fertig</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>fehlgeschlagen</translation>
    </message>
    <message>
        <source>interrupted</source>
        <translation>unterbrochen</translation>
    </message>
    <message>
        <source>not finished</source>
        <translation>nicht fertig</translation>
    </message>
    <message>
        <source>running</source>
        <translation>läuft</translation>
    </message>
    <message>
        <source>the whole workflow</source>
        <translation>der ganze Workflow</translation>
    </message>
    <message>
        <source>waited</source>
        <translation>gewartet</translation>
    </message>
    <message>
        <source>waits for the next attempt</source>
        <translation>wartet auf den nächsten Versuch</translation>
    </message>
    <message>
        <source>{number} s</source>
        <translation>{number} s</translation>
    </message>
</context>
<context>
    <name>Tools</name>
    <message>
        <source>&amp;About Stepfast</source>
        <translation>Ü&amp;ber Stepfast</translation>
    </message>
    <message>
        <source>&amp;Diagnostics ...</source>
        <translation>&amp;Diagnose …</translation>
    </message>
    <message>
        <source>&amp;Export for a bug report ...</source>
        <translation>&amp;Für Fehlerbericht exportieren …</translation>
    </message>
    <message>
        <source>&amp;Keyboard shortcuts</source>
        <translation>&amp;Tastenkürzel</translation>
    </message>
    <message>
        <source>&amp;Settings ...</source>
        <translation>&amp;Einstellungen …</translation>
    </message>
    <message>
        <source>Choose the workflow that the report is about first.</source>
        <translation>Wählen Sie zuerst den Workflow, um den es im Bericht geht.</translation>
    </message>
    <message>
        <source>S&amp;chedules ...</source>
        <translation>&amp;Zeitpläne …</translation>
    </message>
    <message>
        <source>The report was written: {path}</source>
        <translation>Der Bericht wurde geschrieben: {path}</translation>
    </message>
</context>
<context>
    <name>Tray</name>
    <message numerus="yes">
        <source>%n workflow(s) failed</source>
        <translation>
            <numerusform>%n Workflow fehlgeschlagen</numerusform>
            <numerusform>%n Workflows fehlgeschlagen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) running</source>
        <translation>
            <numerusform>%n Workflow läuft</numerusform>
            <numerusform>%n Workflows laufen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) waiting for you</source>
        <translation>
            <numerusform>%n Workflow wartet auf Sie</numerusform>
            <numerusform>%n Workflows warten auf Sie</numerusform>
        </translation>
    </message>
    <message>
        <source>Hide Stepfast</source>
        <translation>Stepfast ausblenden</translation>
    </message>
    <message>
        <source>Nothing is running</source>
        <translation>Nichts läuft</translation>
    </message>
    <message>
        <source>Pause all</source>
        <translation>Alle pausieren</translation>
    </message>
    <message>
        <source>Resume all</source>
        <translation>Alle fortsetzen</translation>
    </message>
    <message>
        <source>Show Stepfast</source>
        <translation>Stepfast anzeigen</translation>
    </message>
    <message>
        <source>Stepfast</source>
        <translation>Stepfast</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>und %n weiterer</numerusform>
            <numerusform>und %n weitere</numerusform>
        </translation>
    </message>
    <message>
        <source>{name}: {progress}</source>
        <translation>{name}: {progress}</translation>
    </message>
    <message>
        <source>{running}, {percent}</source>
        <translation>{running}, {percent}</translation>
    </message>
</context>
<context>
    <name>Turn</name>
    <message>
        <source>All {n} places of this program are taken. It runs once one of those that run has ended.</source>
        <translation>Alle {n} Plätze dieses Programms sind belegt. Er läuft, sobald einer der laufenden geendet hat.</translation>
    </message>
    <message>
        <source>It starts as soon as it is its turn.</source>
        <translation>Er startet, sobald er an der Reihe ist.</translation>
    </message>
    <message numerus="yes">
        <source>It waits for a free place, behind %n workflow(s) at work.</source>
        <translation>
            <numerusform>Er wartet auf einen freien Platz, hinter %n Workflow bei der Arbeit.</numerusform>
            <numerusform>Er wartet auf einen freien Platz, hinter %n Workflows bei der Arbeit.</numerusform>
        </translation>
    </message>
    <message>
        <source>The limit of the queue “{queue}” is reached: {n} at once. It runs once one of those that run has ended.</source>
        <translation>Die Grenze der Warteschlange „{queue}“ ist erreicht: {n} gleichzeitig. Er läuft, sobald einer der laufenden geendet hat.</translation>
    </message>
    <message>
        <source>The limit of “{title}” is reached: {n} at once. It runs once one of those that run has ended.</source>
        <translation>Die Grenze von „{title}“ ist erreicht: {n} gleichzeitig. Er läuft, sobald einer der laufenden geendet hat.</translation>
    </message>
</context>
<context>
    <name>Welcome</name>
    <message>
        <source>Quit or crash whenever you like: it carries on.</source>
        <translation>Beenden Sie es, wann Sie wollen; auch nach einem Absturz geht es weiter.</translation>
    </message>
    <message>
        <source>What would you like to do?</source>
        <translation>Was möchten Sie tun?</translation>
    </message>
    <message>
        <source>or drop a folder here</source>
        <translation>oder einen Ordner hierher ziehen</translation>
    </message>
    <message>
        <source>{title} ...</source>
        <translation>{title} …</translation>
    </message>
</context>
<context>
    <name>WhenDone</name>
    <message numerus="yes">
        <source>All is done. The computer goes to sleep in %n second(s).</source>
        <translation>
            <numerusform>Alles fertig. Der Computer geht in %n Sekunde in den Energiesparmodus.</numerusform>
            <numerusform>Alles fertig. Der Computer geht in %n Sekunden in den Energiesparmodus.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>All is done. The computer shuts down in %n second(s).</source>
        <translation>
            <numerusform>Alles fertig. Der Computer fährt in %n Sekunde herunter.</numerusform>
            <numerusform>Alles fertig. Der Computer fährt in %n Sekunden herunter.</numerusform>
        </translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Do nothing</source>
        <translation>Nichts tun</translation>
    </message>
    <message>
        <source>Put the computer to sleep</source>
        <translation>Energie sparen</translation>
    </message>
    <message>
        <source>Shut the computer down</source>
        <translation>Herunterfahren</translation>
    </message>
    <message>
        <source>The computer cannot be put to sleep: {why}</source>
        <translation>Der Computer kann nicht in den Energiesparmodus gehen: {why}</translation>
    </message>
    <message>
        <source>The computer cannot be shut down: {why}</source>
        <translation>Der Computer kann nicht herunterfahren: {why}</translation>
    </message>
    <message>
        <source>When all is done</source>
        <translation>Wenn alles fertig ist</translation>
    </message>
</context>
<context>
    <name>Window</name>
    <message numerus="yes">
        <source>%n failed</source>
        <translation>
            <numerusform>%n fehlgeschlagen</numerusform>
            <numerusform>%n fehlgeschlagen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n pending</source>
        <translation>
            <numerusform>%n offen</numerusform>
            <numerusform>%n offen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n running</source>
        <translation>
            <numerusform>%n läuft</numerusform>
            <numerusform>%n laufen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n selected</source>
        <translation>
            <numerusform>%n ausgewählt</numerusform>
            <numerusform>%n ausgewählt</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n waiting for you</source>
        <translation>
            <numerusform>%n wartet auf Sie</numerusform>
            <numerusform>%n warten auf Sie</numerusform>
        </translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>&amp;Bearbeiten</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Datei</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Hilfe</translation>
    </message>
    <message>
        <source>&amp;Tools</source>
        <translation>E&amp;xtras</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Ansicht</translation>
    </message>
    <message>
        <source>&amp;Workflow</source>
        <translation>&amp;Workflow</translation>
    </message>
    <message>
        <source>Actions</source>
        <translation>Aktionen</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>Zurücksetzen</translation>
    </message>
    <message>
        <source>Find</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Go to the next workflow that waits for you</source>
        <translation>Zum nächsten Workflow, der auf Sie wartet</translation>
    </message>
    <message>
        <source>New workflow ...</source>
        <translation>Neuer Workflow …</translation>
    </message>
    <message>
        <source>Next that needs you</source>
        <translation>Nächster, der Sie braucht</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>Quit and keep running in the background</source>
        <translation>Beenden und im Hintergrund weiterlaufen</translation>
    </message>
    <message>
        <source>Read-only: another Stepfast has this folder open and does not answer. Nothing is started or changed here.</source>
        <translation>Schreibgeschützt: Ein anderes Stepfast hat diesen Ordner geöffnet und antwortet nicht. Hier wird nichts gestartet oder geändert.</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Search by name or kind</source>
        <translation>Nach Name oder Art suchen</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>Alles auswählen</translation>
    </message>
    <message>
        <source>Show all workflows again</source>
        <translation>Wieder alle Workflows zeigen</translation>
    </message>
    <message>
        <source>Sidebar</source>
        <translation>Seitenleiste</translation>
    </message>
    <message>
        <source>Start when I log in</source>
        <translation>Beim Anmelden starten</translation>
    </message>
    <message>
        <source>Stop the worker in the background</source>
        <translation>Hintergrundprozess beenden</translation>
    </message>
    <message>
        <source>{id} has started</source>
        <translation>{id} ist gestartet</translation>
    </message>
    <message>
        <source>{names}: loaded the next time that Stepfast is started</source>
        <translation>{names}: beim nächsten Start von Stepfast geladen</translation>
    </message>
</context>
<context>
    <name>Workflows</name>
    <message>
        <source>Already there</source>
        <translation>Schon vorhanden</translation>
    </message>
    <message>
        <source>Cannot be read: {names} and {n} more.</source>
        <translation>Nicht lesbar: {names} und {n} weitere.</translation>
    </message>
    <message>
        <source>Cannot be read: {names}.</source>
        <translation>Nicht lesbar: {names}.</translation>
    </message>
    <message>
        <source>Copy a folder</source>
        <translation>Ordner kopieren</translation>
    </message>
    <message>
        <source>Copy what is in source into destination, with times, permissions and symbolic links.</source>
        <translation>Kopiert den Inhalt der Quelle ins Ziel, mit Zeiten, Rechten und symbolischen Links.</translation>
    </message>
    <message>
        <source>Counting ... {files}, {size} so far.</source>
        <translation>Zähle … bisher {files}, {size}.</translation>
    </message>
    <message>
        <source>Destination</source>
        <translation>Ziel</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>Dauer</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>Dateien</translation>
    </message>
    <message>
        <source>Files that are there already and differ</source>
        <translation>Dateien, die schon da sind und abweichen</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Links</source>
        <translation>Links</translation>
    </message>
    <message>
        <source>Only the problems of</source>
        <translation>Nur die Probleme von</translation>
    </message>
    <message>
        <source>Only what was a problem of “{name}” is copied.</source>
        <translation>Nur was bei „{name}“ ein Problem war, wird kopiert.</translation>
    </message>
    <message>
        <source>Overwrite</source>
        <translation>Überschreiben</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>Probleme</translation>
    </message>
    <message>
        <source>Read every copied file back from the disk and compare</source>
        <translation>Jede kopierte Datei vom Datenträger zurücklesen und vergleichen</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Skip</source>
        <translation>Überspringen</translation>
    </message>
    <message>
        <source>Skip leaves them as they are and reports them</source>
        <translation>Überspringen lässt sie, wie sie sind, und meldet sie</translation>
    </message>
    <message>
        <source>Skipped</source>
        <translation>Übersprungen</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>Quelle</translation>
    </message>
    <message>
        <source>The destination is full: {path} has no room for the rest. Free {size} more there and `retry`; what was copied is kept, and it goes on from there.</source>
        <translation>Das Ziel ist voll: In {path} ist kein Platz für den Rest. Machen Sie dort noch {size} frei und versuchen Sie es erneut; was kopiert ist, bleibt, und es geht von dort weiter.</translation>
    </message>
    <message>
        <source>The destination {path} cannot be a folder: {other} is a file.</source>
        <translation>Das Ziel {path} kann kein Ordner sein: {other} ist eine Datei.</translation>
    </message>
    <message>
        <source>The destination {path} cannot be a folder: {other} is a link that leads nowhere.</source>
        <translation>Das Ziel {path} kann kein Ordner sein: {other} ist ein Link, der ins Leere führt.</translation>
    </message>
    <message>
        <source>The destination {path} cannot be made or written to: {reason}. Choose another, or change its permissions and `retry`.</source>
        <translation>Das Ziel {path} lässt sich nicht anlegen oder beschreiben: {reason}. Wählen Sie ein anderes, oder ändern Sie die Rechte und versuchen Sie es erneut.</translation>
    </message>
    <message>
        <source>The destination {path} cannot be written: {other} is read-only, or there is no permission. Choose another folder, or change its permissions.</source>
        <translation>Das Ziel {path} lässt sich nicht beschreiben: {other} ist schreibgeschützt, oder das Recht fehlt. Wählen Sie einen anderen Ordner, oder ändern Sie die Rechte.</translation>
    </message>
    <message>
        <source>The destination {path} fails: {reason}. Look after that disk, or connect it again, and `retry`; what was copied is kept.</source>
        <translation>Das Ziel {path} versagt: {reason}. Sehen Sie nach dem Datenträger, oder schließen Sie ihn neu an, und versuchen Sie es erneut; was kopiert ist, bleibt.</translation>
    </message>
    <message>
        <source>The destination {path} has become read-only, as the system does when a disk has errors. Make it writable and `retry`; what was copied is kept.</source>
        <translation>Das Ziel {path} ist schreibgeschützt worden, wie es das System bei Fehlern eines Datenträgers tut. Machen Sie es beschreibbar und versuchen Sie es erneut; was kopiert ist, bleibt.</translation>
    </message>
    <message>
        <source>The destination {path} is inside the source, so the copy would have to hold itself. Choose a folder outside it.</source>
        <translation>Das Ziel {path} liegt in der Quelle, die Kopie müsste sich also selbst enthalten. Wählen Sie einen Ordner außerhalb.</translation>
    </message>
    <message>
        <source>The destination {path} is not there any more. Connect its disk, or bring the folder back, and `retry`; what was copied to it is kept.</source>
        <translation>Das Ziel {path} ist nicht mehr da. Schließen Sie den Datenträger an, oder bringen Sie den Ordner zurück, und versuchen Sie es erneut; was dorthin kopiert ist, bleibt.</translation>
    </message>
    <message>
        <source>The destination {path} is the source itself. Choose another folder.</source>
        <translation>Das Ziel {path} ist die Quelle selbst. Wählen Sie einen anderen Ordner.</translation>
    </message>
    <message>
        <source>The disk of {path} is full. Free some space and `retry`.</source>
        <translation>Der Datenträger von {path} ist voll. Machen Sie Platz und versuchen Sie es erneut.</translation>
    </message>
    <message>
        <source>The folder whose contents are copied</source>
        <translation>Der Ordner, dessen Inhalt kopiert wird</translation>
    </message>
    <message>
        <source>The name of an earlier copy of this folder: what could not be copied then is tried again</source>
        <translation>Der Name einer früheren Kopie dieses Ordners: Was damals nicht kopiert werden konnte, wird noch einmal versucht</translation>
    </message>
    <message>
        <source>The source would be copied over itself: it holds {name}, which in the destination {path} is the source. Choose another folder.</source>
        <translation>Die Quelle würde über sich selbst kopiert: Sie enthält {name}, und das ist im Ziel {path} die Quelle. Wählen Sie einen anderen Ordner.</translation>
    </message>
    <message>
        <source>The source {path} cannot be read any more: {reason}. Connect its disk and `retry`; what was copied is kept.</source>
        <translation>Die Quelle {path} ist nicht mehr lesbar: {reason}. Schließen Sie den Datenträger an und versuchen Sie es erneut; was kopiert ist, bleibt.</translation>
    </message>
    <message>
        <source>The source {path} cannot be read: {reason}. Change its permissions.</source>
        <translation>Die Quelle {path} ist nicht lesbar: {reason}. Ändern Sie die Rechte.</translation>
    </message>
    <message>
        <source>The source {path} is not a folder. Choose the folder it is in.</source>
        <translation>Die Quelle {path} ist kein Ordner. Wählen Sie den Ordner, in dem sie liegt.</translation>
    </message>
    <message>
        <source>The source {path} is not there any more. Connect its disk, or bring the folder back, and `retry`; what was copied is kept.</source>
        <translation>Die Quelle {path} ist nicht mehr da. Schließen Sie den Datenträger an, oder bringen Sie den Ordner zurück, und versuchen Sie es erneut; was kopiert ist, bleibt.</translation>
    </message>
    <message>
        <source>There is no disk for the destination {path}. Connect it, or choose another.</source>
        <translation>Für das Ziel {path} ist kein Datenträger da. Schließen Sie ihn an, oder wählen Sie ein anderes.</translation>
    </message>
    <message>
        <source>There is no folder {path}. Check its name, or connect its disk.</source>
        <translation>Es gibt keinen Ordner {path}. Prüfen Sie den Namen, oder schließen Sie den Datenträger an.</translation>
    </message>
    <message>
        <source>There is no room: {size} are needed, and {rest}</source>
        <translation>Der Platz reicht nicht: {size} werden gebraucht, {rest}</translation>
    </message>
    <message>
        <source>Verify</source>
        <translation>Überprüfen</translation>
    </message>
    <message>
        <source>Waiting for the disk of {path}: connect it to continue</source>
        <translation>Wartet auf den Datenträger von {path}: Schließen Sie ihn an, dann geht es weiter</translation>
    </message>
    <message>
        <source>Waiting for the disk “{disk}” of {path}: connect it to continue</source>
        <translation>Wartet auf den Datenträger „{disk}“ von {path}: Schließen Sie ihn an, dann geht es weiter</translation>
    </message>
    <message>
        <source>Where they go; it is made if it is not there</source>
        <translation>Wohin er kommt; der Ordner wird angelegt, wenn es ihn nicht gibt</translation>
    </message>
    <message>
        <source>a device</source>
        <translation>ein Gerät</translation>
    </message>
    <message>
        <source>a file is there, where a folder should go</source>
        <translation>wo ein Ordner hin soll, ist eine Datei</translation>
    </message>
    <message>
        <source>a file is where a folder was</source>
        <translation>wo ein Ordner war, ist eine Datei</translation>
    </message>
    <message>
        <source>a folder is there, where this file should go</source>
        <translation>wo diese Datei hin soll, ist ein Ordner</translation>
    </message>
    <message>
        <source>a folder is there, where this link should go</source>
        <translation>wo dieser Link hin soll, ist ein Ordner</translation>
    </message>
    <message>
        <source>a folder is where a file was</source>
        <translation>wo eine Datei war, ist ein Ordner</translation>
    </message>
    <message>
        <source>a junction</source>
        <translation>eine Junction</translation>
    </message>
    <message>
        <source>a link is there, where a folder should go</source>
        <translation>wo ein Ordner hin soll, ist ein Link</translation>
    </message>
    <message>
        <source>a link is where a file or folder was</source>
        <translation>wo eine Datei oder ein Ordner war, ist ein Link</translation>
    </message>
    <message>
        <source>a named pipe</source>
        <translation>eine benannte Pipe</translation>
    </message>
    <message>
        <source>a socket</source>
        <translation>ein Socket</translation>
    </message>
    <message>
        <source>already there and different; left as it is</source>
        <translation>schon da und anders; bleibt, wie sie ist</translation>
    </message>
    <message>
        <source>already there, and cannot be read to compare: no permission</source>
        <translation>schon da und zum Vergleichen nicht lesbar: keine Berechtigung</translation>
    </message>
    <message>
        <source>and more</source>
        <translation>und mehr</translation>
    </message>
    <message>
        <source>and {n} more</source>
        <translation>und {n} weitere</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>Bytes</translation>
    </message>
    <message>
        <source>checking what is there: {rest}</source>
        <translation>prüft, was da ist: {rest}</translation>
    </message>
    <message>
        <source>could not be read: {reason}</source>
        <translation>nicht lesbar: {reason}</translation>
    </message>
    <message>
        <source>could not be written: {reason}</source>
        <translation>nicht schreibbar: {reason}</translation>
    </message>
    <message>
        <source>it changed while it was being copied; copy it when nothing writes to it</source>
        <translation>hat sich beim Kopieren verändert; kopieren Sie sie, wenn nichts darin schreibt</translation>
    </message>
    <message>
        <source>it is in use</source>
        <translation>in Benutzung</translation>
    </message>
    <message>
        <source>it is not a folder any more</source>
        <translation>kein Ordner mehr</translation>
    </message>
    <message>
        <source>it is not a link any more</source>
        <translation>kein Link mehr</translation>
    </message>
    <message>
        <source>it is not a regular file any more</source>
        <translation>keine gewöhnliche Datei mehr</translation>
    </message>
    <message>
        <source>it is not there any more</source>
        <translation>nicht mehr da</translation>
    </message>
    <message>
        <source>it is too large for this file system</source>
        <translation>zu groß für dieses Dateisystem</translation>
    </message>
    <message>
        <source>its folder is not there: {reason}</source>
        <translation>der Ordner dafür ist nicht da: {reason}</translation>
    </message>
    <message>
        <source>its name is too long</source>
        <translation>der Name ist zu lang</translation>
    </message>
    <message>
        <source>no permission</source>
        <translation>keine Berechtigung</translation>
    </message>
    <message>
        <source>not a regular file: {reason}</source>
        <translation>keine gewöhnliche Datei: {reason}</translation>
    </message>
    <message>
        <source>not permitted</source>
        <translation>nicht erlaubt</translation>
    </message>
    <message>
        <source>of a kind of its own</source>
        <translation>von eigener Art</translation>
    </message>
    <message>
        <source>the destination cannot tell its name from {name}, which is in the same folder</source>
        <translation>das Ziel kann den Namen nicht von {name} im selben Ordner unterscheiden</translation>
    </message>
    <message>
        <source>the disk is full</source>
        <translation>der Datenträger ist voll</translation>
    </message>
    <message>
        <source>the disk or server is not there any more</source>
        <translation>der Datenträger oder Server ist nicht mehr da</translation>
    </message>
    <message>
        <source>the disk reports an error (input/output error)</source>
        <translation>der Datenträger meldet einen Fehler (Ein-/Ausgabefehler)</translation>
    </message>
    <message>
        <source>the file system does not take this name</source>
        <translation>das Dateisystem nimmt diesen Namen nicht an</translation>
    </message>
    <message>
        <source>the file system does not take this name, or this request</source>
        <translation>das Dateisystem nimmt diesen Namen oder diese Anfrage nicht an</translation>
    </message>
    <message>
        <source>the file system is read-only</source>
        <translation>das Dateisystem ist schreibgeschützt</translation>
    </message>
    <message>
        <source>the folder could not be read: {reason}</source>
        <translation>der Ordner ist nicht lesbar: {reason}</translation>
    </message>
    <message>
        <source>the folder is not there any more</source>
        <translation>der Ordner ist nicht mehr da</translation>
    </message>
    <message>
        <source>times or permissions of {files} could not be kept: {reason}</source>
        <translation>Zeiten oder Rechte nicht erhalten, {files}: {reason}</translation>
    </message>
    <message>
        <source>what was read back from the destination is not what was written; check that disk</source>
        <translation>was vom Ziel zurückgelesen wurde, ist nicht, was geschrieben wurde; prüfen Sie den Datenträger</translation>
    </message>
    <message>
        <source>{files} cannot be made there, since {system} has none: {names} and {n} more.</source>
        <translation>{files} können dort nicht angelegt werden, denn {system} kennt keine: {names} und {n} weitere.</translation>
    </message>
    <message>
        <source>{files} cannot be made there, since {system} has none: {names}.</source>
        <translation>Dort nicht anzulegen, denn {system} kennt keine: {files} ({names}).</translation>
    </message>
    <message>
        <source>{files} cannot be written there unchanged, since {system} has no such names: {names} and {n} more.</source>
        <translation>{files} können dort nicht unverändert geschrieben werden, denn {system} kennt solche nicht: {names} und {n} weitere.</translation>
    </message>
    <message>
        <source>{files} cannot be written there unchanged, since {system} has no such names: {names}.</source>
        <translation>Dort nicht unverändert zu schreiben, denn {system} kennt solche Namen nicht: {files} ({names}).</translation>
    </message>
    <message>
        <source>{files} cannot go there, since {system} takes none of {size} or more: {names} and {n} more.</source>
        <translation>{files} passen nicht dorthin, denn {system} nimmt keine ab {size}: {names} und {n} weitere.</translation>
    </message>
    <message>
        <source>{files} cannot go there, since {system} takes none of {size} or more: {names}.</source>
        <translation>Zu groß für dort, denn {system} nimmt keine Datei ab {size}: {files} ({names}).</translation>
    </message>
    <message>
        <source>{files} found, {size}</source>
        <translation>{files} gefunden, {size}</translation>
    </message>
    <message>
        <source>{files} of that size are there already.</source>
        <translation>{files} dieser Größe sind schon da.</translation>
    </message>
    <message>
        <source>{files} of that size are there already. {rest}</source>
        <translation>{files} dieser Größe sind schon da. {rest}</translation>
    </message>
    <message>
        <source>{files} of that size is there already.</source>
        <translation>{files} dieser Größe ist schon da.</translation>
    </message>
    <message>
        <source>{files} of that size is there already. {rest}</source>
        <translation>{files} dieser Größe ist schon da. {rest}</translation>
    </message>
    <message>
        <source>{files}, {size}, copied in {time}</source>
        <translation>{files}, {size}, kopiert in {time}</translation>
    </message>
    <message>
        <source>{files}, {size}, copied in {time}, {n} there already</source>
        <translation>{files}, {size}, kopiert in {time}, {n} schon da</translation>
    </message>
    <message>
        <source>{files}, {size}, copied in {time}, {n} there already; “{disk}” is safe to eject</source>
        <translation>{files}, {size}, kopiert in {time}, {n} schon da; „{disk}“ kann sicher ausgeworfen werden</translation>
    </message>
    <message>
        <source>{files}, {size}, copied in {time}; “{disk}” is safe to eject</source>
        <translation>{files}, {size}, kopiert in {time}; „{disk}“ kann sicher ausgeworfen werden</translation>
    </message>
    <message>
        <source>{files}, {size}.</source>
        <translation>{files}, {size}.</translation>
    </message>
    <message>
        <source>{files}, {size}. {rest}</source>
        <translation>{files}, {size}. {rest}</translation>
    </message>
    <message>
        <source>{n} file</source>
        <translation>{n} Datei</translation>
    </message>
    <message>
        <source>{n} files</source>
        <translation>{n} Dateien</translation>
    </message>
    <message>
        <source>{n} h {m} min</source>
        <translation>{n} h {m} min</translation>
    </message>
    <message>
        <source>{n} item</source>
        <translation>{n} Element</translation>
    </message>
    <message>
        <source>{n} items</source>
        <translation>{n} Elemente</translation>
    </message>
    <message>
        <source>{n} min {m} s</source>
        <translation>{n} min {m} s</translation>
    </message>
    <message>
        <source>{n} name</source>
        <translation>{n} Name</translation>
    </message>
    <message>
        <source>{n} names</source>
        <translation>{n} Namen</translation>
    </message>
    <message>
        <source>{n} of {m} files</source>
        <translation>{n} von {m} Dateien</translation>
    </message>
    <message>
        <source>{n} of {m} files, {rest}</source>
        <translation>{n} von {m} Dateien, {rest}</translation>
    </message>
    <message>
        <source>{n} symbolic link</source>
        <translation>{n} symbolischer Link</translation>
    </message>
    <message>
        <source>{n} symbolic links</source>
        <translation>{n} symbolische Links</translation>
    </message>
    <message>
        <source>{size} are free on that disk.</source>
        <translation>{size} sind auf diesem Datenträger frei.</translation>
    </message>
    <message>
        <source>{size} are free on “{disk}”.</source>
        <translation>{size} sind auf „{disk}“ frei.</translation>
    </message>
    <message>
        <source>{size} free on that disk.</source>
        <translation>{size} frei auf diesem Datenträger.</translation>
    </message>
    <message>
        <source>{size} free on “{disk}”.</source>
        <translation>{size} frei auf „{disk}“.</translation>
    </message>
    <message>
        <source>{size}/s</source>
        <translation>{size}/s</translation>
    </message>
    <message>
        <source>{size}/s, checking what is there: {rest}</source>
        <translation>{size}/s, prüft, was da ist: {rest}</translation>
    </message>
    <message>
        <source>{x} of {y} {unit}</source>
        <translation>{x} von {y} {unit}</translation>
    </message>
    <message>
        <source>{x} of {y} {unit}, {rest}</source>
        <translation>{x} von {y} {unit}, {rest}</translation>
    </message>
    <message>
        <source>{x} s</source>
        <translation>{x} s</translation>
    </message>
    <message>
        <source>{x} {unit}</source>
        <translation>{x} {unit}</translation>
    </message>
</context>
</TS>
