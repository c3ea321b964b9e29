<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>Actions</name>
    <message numerus="yes">
        <source>%n left, as it was not possible</source>
        <translation>
            <numerusform>%n 个未处理：无法执行</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n left, changed meanwhile</source>
        <translation>
            <numerusform>%n 个未处理：期间已有变化</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n left, deleted meanwhile</source>
        <translation>
            <numerusform>%n 个未处理：期间已被删除</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n left, deleted or brought back meanwhile</source>
        <translation>
            <numerusform>%n 个未处理：期间已被删除或恢复</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n left, finished meanwhile</source>
        <translation>
            <numerusform>%n 个未处理：期间已结束</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n name(s) copied</source>
        <translation>
            <numerusform>已复制 %n 个名称</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n removed</source>
        <translation>
            <numerusform>已移除 %n 个</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n still stopping, and removed then</source>
        <translation>
            <numerusform>%n 个正在停止，随后移除</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) brought back</source>
        <translation>
            <numerusform>已恢复 %n 个工作流</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) cancelled</source>
        <translation>
            <numerusform>已取消 %n 个工作流</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) deleted for good</source>
        <translation>
            <numerusform>已彻底删除 %n 个工作流</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) moved</source>
        <translation>
            <numerusform>已移动 %n 个工作流</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) paused</source>
        <translation>
            <numerusform>已暂停 %n 个工作流</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) removed</source>
        <translation>
            <numerusform>已移除 %n 个工作流</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) resumed</source>
        <translation>
            <numerusform>已继续 %n 个工作流</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) stopped and removed</source>
        <translation>
            <numerusform>已停止并移除 %n 个工作流</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) taken up again</source>
        <translation>
            <numerusform>已重试 %n 个工作流</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) with a high priority now</source>
        <translation>
            <numerusform>已将 %n 个工作流设为高优先级</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) with a low priority now</source>
        <translation>
            <numerusform>已将 %n 个工作流设为低优先级</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) with the normal priority now</source>
        <translation>
            <numerusform>已将 %n 个工作流设为普通优先级</numerusform>
        </translation>
    </message>
    <message>
        <source>All that is recorded is gone then, for good. Files that were made stay where they are.</source>
        <translation>所有记录都会被永久删除。生成的文件保留在原处。</translation>
    </message>
    <message>
        <source>All that is selected has come to its end already</source>
        <translation>所选的都已结束</translation>
    </message>
    <message>
        <source>All that is selected has come to its end already; Remove does it</source>
        <translation>所选的都已结束；请用“移除”</translation>
    </message>
    <message numerus="yes">
        <source>At work on %n workflow(s) ...</source>
        <translation>
            <numerusform>正在处理 %n 个工作流…</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Bring %n workflow(s) back</source>
        <translation>
            <numerusform>恢复 %n 个工作流</numerusform>
        </translation>
    </message>
    <message>
        <source>Bring all that match back</source>
        <translation>恢复所有匹配的</translation>
    </message>
    <message>
        <source>Bring back</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message numerus="yes">
        <source>Cancel %n workflow(s)</source>
        <translation>
            <numerusform>取消 %n 个工作流</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Cancel %n workflow(s)?</source>
        <translation>
            <numerusform>要取消 %n 个工作流吗？</numerusform>
        </translation>
    </message>
    <message>
        <source>Cancel all that match</source>
        <translation>取消所有匹配的</translation>
    </message>
    <message>
        <source>Cancel and remove</source>
        <translation>取消并移除</translation>
    </message>
    <message numerus="yes">
        <source>Cancel and remove %n workflow(s)</source>
        <translation>
            <numerusform>取消并移除 %n 个工作流</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Cancel and remove %n workflow(s)?</source>
        <translation>
            <numerusform>要取消并移除 %n 个工作流吗？</numerusform>
        </translation>
    </message>
    <message>
        <source>Cancel and remove all that match</source>
        <translation>取消并移除所有匹配的</translation>
    </message>
    <message numerus="yes">
        <source>Copy %n name(s)</source>
        <translation>
            <numerusform>复制 %n 个名称</numerusform>
        </translation>
    </message>
    <message>
        <source>Copy name</source>
        <translation>复制名称</translation>
    </message>
    <message>
        <source>Copy the names of all that match</source>
        <translation>复制所有匹配的名称</translation>
    </message>
    <message numerus="yes">
        <source>Delete %n workflow(s)</source>
        <translation>
            <numerusform>删除 %n 个工作流</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Delete %n workflow(s) for good ...</source>
        <translation>
            <numerusform>彻底删除 %n 个工作流…</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Delete %n workflow(s) for good?</source>
        <translation>
            <numerusform>要彻底删除 %n 个工作流吗？</numerusform>
        </translation>
    </message>
    <message>
        <source>Delete all that match for good ...</source>
        <translation>彻底删除所有匹配的…</translation>
    </message>
    <message>
        <source>Delete for good ...</source>
        <translation>彻底删除…</translation>
    </message>
    <message>
        <source>End it for good; Retry can still take it up</source>
        <translation>就此结束；之后仍可用“重试”接着做</translation>
    </message>
    <message>
        <source>End it, and take it off the list as soon as it has stopped</source>
        <translation>结束它，一停下就从列表中移除</translation>
    </message>
    <message>
        <source>Forget all that is recorded of it; files that it made stay</source>
        <translation>清除它的所有记录；它生成的文件会保留</translation>
    </message>
    <message>
        <source>Go on after a pause</source>
        <translation>暂停后继续进行</translation>
    </message>
    <message>
        <source>Go on from the step that failed</source>
        <translation>从失败的步骤继续</translation>
    </message>
    <message>
        <source>Goes before what has a lower priority</source>
        <translation>先于优先级较低的运行</translation>
    </message>
    <message>
        <source>Goes when it has waited longest</source>
        <translation>等待最久的先运行</translation>
    </message>
    <message>
        <source>Goes when nothing else is ready</source>
        <translation>没有其他就绪的才运行</translation>
    </message>
    <message>
        <source>High</source>
        <translation>高</translation>
    </message>
    <message numerus="yes">
        <source>High, for %n workflow(s)</source>
        <translation>
            <numerusform>高，用于 %n 个工作流</numerusform>
        </translation>
    </message>
    <message>
        <source>High, for all that match</source>
        <translation>高，用于所有匹配的</translation>
    </message>
    <message>
        <source>In the order of the queue</source>
        <translation>按队列顺序</translation>
    </message>
    <message>
        <source>It is at the end of the queue</source>
        <translation>已在队列末尾</translation>
    </message>
    <message>
        <source>It is at the top of the queue</source>
        <translation>已在队列最前</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>Low</source>
        <translation>低</translation>
    </message>
    <message numerus="yes">
        <source>Low, for %n workflow(s)</source>
        <translation>
            <numerusform>低，用于 %n 个工作流</numerusform>
        </translation>
    </message>
    <message>
        <source>Low, for all that match</source>
        <translation>低，用于所有匹配的</translation>
    </message>
    <message numerus="yes">
        <source>Move %n workflow(s) down in the queue</source>
        <translation>
            <numerusform>将 %n 个工作流在队列中下移</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Move %n workflow(s) to the end of the queue</source>
        <translation>
            <numerusform>将 %n 个工作流移到队列末尾</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Move %n workflow(s) to the top of the queue</source>
        <translation>
            <numerusform>将 %n 个工作流移到队列最前</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Move %n workflow(s) up in the queue</source>
        <translation>
            <numerusform>将 %n 个工作流在队列中上移</numerusform>
        </translation>
    </message>
    <message>
        <source>Move all that match down in the queue</source>
        <translation>将所有匹配的在队列中下移</translation>
    </message>
    <message>
        <source>Move all that match to the end of the queue</source>
        <translation>将所有匹配的移到队列末尾</translation>
    </message>
    <message>
        <source>Move all that match to the top of the queue</source>
        <translation>将所有匹配的移到队列最前</translation>
    </message>
    <message>
        <source>Move all that match up in the queue</source>
        <translation>将所有匹配的在队列中上移</translation>
    </message>
    <message>
        <source>Move down in the queue</source>
        <translation>在队列中下移</translation>
    </message>
    <message>
        <source>Move to the end of the queue</source>
        <translation>移到队列末尾</translation>
    </message>
    <message>
        <source>Move to the top of the queue</source>
        <translation>移到队列最前</translation>
    </message>
    <message>
        <source>Move up in the queue</source>
        <translation>在队列中上移</translation>
    </message>
    <message>
        <source>Neither its inputs nor its result name a folder</source>
        <translation>输入和结果中都没有文件夹</translation>
    </message>
    <message>
        <source>Normal</source>
        <translation>普通</translation>
    </message>
    <message numerus="yes">
        <source>Normal, for %n workflow(s)</source>
        <translation>
            <numerusform>普通，用于 %n 个工作流</numerusform>
        </translation>
    </message>
    <message>
        <source>Normal, for all that match</source>
        <translation>普通，用于所有匹配的</translation>
    </message>
    <message>
        <source>Nothing is selected</source>
        <translation>没有选中任何工作流</translation>
    </message>
    <message>
        <source>Nothing that is selected is paused</source>
        <translation>所选的都没有暂停</translation>
    </message>
    <message>
        <source>Nothing that is selected runs, or is about to</source>
        <translation>所选的都不在运行，也不会马上运行</translation>
    </message>
    <message>
        <source>Only what failed or was cancelled can be taken up again</source>
        <translation>只有失败或已取消的才能重试</translation>
    </message>
    <message>
        <source>Only what has come to its end can be removed; cancel it first</source>
        <translation>只有已结束的才能移除；请先取消</translation>
    </message>
    <message>
        <source>Only what has not come to its end has a priority</source>
        <translation>只有未结束的才有优先级</translation>
    </message>
    <message>
        <source>Only what is queued has a place in the queue</source>
        <translation>只有排队中的才在队列里</translation>
    </message>
    <message>
        <source>Only what was removed can be brought back</source>
        <translation>只有已移除的才能恢复</translation>
    </message>
    <message>
        <source>Only what was removed can be deleted for good</source>
        <translation>只有已移除的才能彻底删除</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>打开文件夹</translation>
    </message>
    <message>
        <source>Open the folder that it works in, or writes to</source>
        <translation>打开它读写的文件夹</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message numerus="yes">
        <source>Pause %n workflow(s)</source>
        <translation>
            <numerusform>暂停 %n 个工作流</numerusform>
        </translation>
    </message>
    <message>
        <source>Pause all that match</source>
        <translation>暂停所有匹配的</translation>
    </message>
    <message>
        <source>Priority</source>
        <translation>优先级</translation>
    </message>
    <message>
        <source>Put it on the list again</source>
        <translation>放回列表中</translation>
    </message>
    <message>
        <source>Put the names on the clipboard, each on a line</source>
        <translation>将名称放到剪贴板，每行一个</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>队列</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message numerus="yes">
        <source>Remove %n finished workflow(s)</source>
        <translation>
            <numerusform>移除 %n 个已结束的工作流</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Remove %n workflow(s)</source>
        <translation>
            <numerusform>移除 %n 个工作流</numerusform>
        </translation>
    </message>
    <message>
        <source>Remove all that match</source>
        <translation>移除所有匹配的</translation>
    </message>
    <message>
        <source>Remove finished</source>
        <translation>移除已结束的</translation>
    </message>
    <message>
        <source>Remove what has finished and matches</source>
        <translation>移除匹配且已结束的</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>继续</translation>
    </message>
    <message numerus="yes">
        <source>Resume %n workflow(s)</source>
        <translation>
            <numerusform>继续 %n 个工作流</numerusform>
        </translation>
    </message>
    <message>
        <source>Resume all that match</source>
        <translation>继续所有匹配的</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>重试</translation>
    </message>
    <message numerus="yes">
        <source>Retry %n workflow(s)</source>
        <translation>
            <numerusform>重试 %n 个工作流</numerusform>
        </translation>
    </message>
    <message>
        <source>Retry all that match</source>
        <translation>重试所有匹配的</translation>
    </message>
    <message>
        <source>Run again ...</source>
        <translation>再次运行…</translation>
    </message>
    <message>
        <source>Run it after the one behind it, with the priority of that</source>
        <translation>排到后一个的后面，并采用它的优先级</translation>
    </message>
    <message>
        <source>Run it before the one in front of it, with the priority of that</source>
        <translation>排到前一个的前面，并采用它的优先级</translation>
    </message>
    <message>
        <source>Run it last, with the lowest priority that anything queued has</source>
        <translation>最后运行，采用队列中最低的优先级</translation>
    </message>
    <message>
        <source>Run it next, with the highest priority that anything queued has</source>
        <translation>接下来就运行，采用队列中最高的优先级</translation>
    </message>
    <message>
        <source>Select one workflow; this is for one at a time</source>
        <translation>请只选一个工作流；此操作一次只能用于一个</translation>
    </message>
    <message>
        <source>Start a new one like it, with its inputs filled in</source>
        <translation>新建一个同样的，并填好它的输入</translation>
    </message>
    <message>
        <source>Stop for now; it goes on where it was</source>
        <translation>暂时停下；之后从停下处继续</translation>
    </message>
    <message>
        <source>Take it off the list; what it made stays</source>
        <translation>从列表中移除；它生成的内容会保留</translation>
    </message>
    <message>
        <source>They end where they are, and go from the list. Undo brings them back to it.</source>
        <translation>它们会就此结束，并从列表中移除。用“撤销”可以恢复到列表中。</translation>
    </message>
    <message>
        <source>They end where they are. Retry can take each of them up again.</source>
        <translation>它们会就此结束。每一个都可以用“重试”接着做。</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message numerus="yes">
        <source>Undo: bring %n workflow(s) back</source>
        <translation>
            <numerusform>撤销：恢复 %n 个工作流</numerusform>
        </translation>
    </message>
    <message>
        <source>Undo: bring {name} back</source>
        <translation>撤销：恢复 {name}</translation>
    </message>
    <message>
        <source>What runs next comes first; there, rows can be dragged</source>
        <translation>接下来要运行的排在前面；可以拖动各行</translation>
    </message>
    <message>
        <source>{name} brought back</source>
        <translation>已恢复 {name}</translation>
    </message>
    <message>
        <source>“{path}” is not there now</source>
        <translation>“{path}”现在不在了</translation>
    </message>
</context>
<context>
    <name>Answer</name>
    <message>
        <source> or </source>
        <comment>between two kinds of value</comment>
        <translation> 或 </translation>
    </message>
    <message>
        <source>No</source>
        <translation>否</translation>
    </message>
    <message>
        <source>That does not fit; it needs {what}.</source>
        <translation>不符合要求，需要{what}。</translation>
    </message>
    <message>
        <source>Type an answer first.</source>
        <translation>请先输入回答。</translation>
    </message>
    <message>
        <source>Yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>a UUID</source>
        <translation>UUID</translation>
    </message>
    <message>
        <source>a date and time such as 2026-11-29T16:50</source>
        <translation>日期和时间，例如 2026-11-29T16:50</translation>
    </message>
    <message>
        <source>a date such as 2026-11-29</source>
        <translation>日期，例如 2026-11-29</translation>
    </message>
    <message>
        <source>a decimal number</source>
        <translation>小数</translation>
    </message>
    <message>
        <source>a duration such as 90s, 5m or 1h30m</source>
        <translation>时长，例如 90s、5m 或 1h30m</translation>
    </message>
    <message>
        <source>a list as JSON, such as [1, 2]</source>
        <translation>JSON 列表，例如 [1, 2]</translation>
    </message>
    <message>
        <source>a number</source>
        <translation>数字</translation>
    </message>
    <message>
        <source>a path</source>
        <translation>路径</translation>
    </message>
    <message>
        <source>a text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>a time such as 16:50</source>
        <translation>时间，例如 16:50</translation>
    </message>
    <message>
        <source>a value as JSON</source>
        <translation>JSON 值</translation>
    </message>
    <message>
        <source>a whole number</source>
        <translation>整数</translation>
    </message>
    <message>
        <source>bytes, written as base64</source>
        <translation>以 base64 写成的字节</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>空值</translation>
    </message>
    <message>
        <source>one of {names}</source>
        <translation>以下之一：{names}</translation>
    </message>
    <message>
        <source>text, or a value as JSON</source>
        <translation>文本或 JSON 值</translation>
    </message>
    <message>
        <source>yes or no</source>
        <translation>是或否</translation>
    </message>
    <message>
        <source>{what}, or nothing</source>
        <translation>{what}，也可留空</translation>
    </message>
</context>
<context>
    <name>Away</name>
    <message numerus="yes">
        <source>%n workflow(s) running</source>
        <translation>
            <numerusform>%n 个工作流正在运行</numerusform>
        </translation>
    </message>
    <message>
        <source>Notes how far each workflow is</source>
        <translation>记下每个工作流的进度</translation>
    </message>
</context>
<context>
    <name>Background</name>
    <message>
        <source>A worker runs in the background</source>
        <translation>后台进程正在运行</translation>
    </message>
    <message>
        <source>Handing over to a worker in the background ...</source>
        <translation>正在移交给后台进程…</translation>
    </message>
    <message>
        <source>Stopping the worker in the background ...</source>
        <translation>正在停止后台进程…</translation>
    </message>
    <message>
        <source>The worker in the background could not be started: {error}. This window stays open and goes on instead.</source>
        <translation>无法启动后台进程：{error}。此窗口保持打开，并代替它继续工作。</translation>
    </message>
    <message>
        <source>The worker in the background could not be stopped: {error}</source>
        <translation>无法停止后台进程：{error}</translation>
    </message>
    <message>
        <source>it did not come up in {seconds} seconds; see {log}</source>
        <translation>它在 {seconds} 秒内没有就绪；请查看 {log}</translation>
    </message>
    <message>
        <source>it does not end; it may be stuck in a step</source>
        <translation>它没有结束，可能卡在某个步骤中</translation>
    </message>
    <message>
        <source>it ended with code {code} before it was at work</source>
        <translation>它在开始工作之前以代码 {code} 结束</translation>
    </message>
    <message>
        <source>it was ended by signal {number} before it was at work</source>
        <translation>它在开始工作之前被信号 {number} 结束</translation>
    </message>
    <message>
        <source>it was killed before it was at work: by the system, perhaps for want of memory, or by somebody</source>
        <translation>它在开始工作之前被强行终止：可能是系统因内存不足所为，也可能是有人所为</translation>
    </message>
    <message>
        <source>{why}. It said: {said} (the rest is in {log})</source>
        <translation>{why}。它报告：{said}（其余内容见 {log}）</translation>
    </message>
</context>
<context>
    <name>BugReport</name>
    <message numerus="yes">
        <source>%n line(s), left out</source>
        <translation>
            <numerusform>省略了 %n 行</numerusform>
        </translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>复制(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Save ...</source>
        <translation>保存(&amp;S)…</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Export for a bug report</source>
        <translation>导出错误报告</translation>
    </message>
    <message>
        <source>It was not written: {reason}</source>
        <translation>未能写入：{reason}</translation>
    </message>
    <message>
        <source>Save the report</source>
        <translation>保存报告</translation>
    </message>
    <message>
        <source>This is what will be in the file. It is written here, and sent to nobody. Read it before you hand it on: messages of errors may name files.</source>
        <translation>以下是文件将包含的内容。它只写入本机，不会发送给任何人。转交他人之前请先看一遍：错误消息中可能有文件名。</translation>
    </message>
    <message>
        <source>What will be in the file</source>
        <translation>文件将包含的内容</translation>
    </message>
    <message>
        <source>With the &amp;lines of its log</source>
        <translation>包含日志内容(&amp;L)</translation>
    </message>
    <message>
        <source>With the &amp;values of inputs, results and steps</source>
        <translation>包含输入、结果和步骤的值(&amp;V)</translation>
    </message>
</context>
<context>
    <name>Checkup</name>
    <message numerus="yes">
        <source>%n fault(s)</source>
        <translation>
            <numerusform>%n 处错误</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s)</source>
        <translation>
            <numerusform>%n 个工作流</numerusform>
        </translation>
    </message>
    <message>
        <source>blocked</source>
        <translation>受阻</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>completed</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>damaged itself</source>
        <translation>本身已损坏</translation>
    </message>
    <message>
        <source>data folder</source>
        <translation>数据文件夹</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>file</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>free there</source>
        <translation>剩余空间</translation>
    </message>
    <message>
        <source>good</source>
        <translation>完好</translation>
    </message>
    <message>
        <source>in</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>integrity</source>
        <translation>完整性</translation>
    </message>
    <message>
        <source>journal</source>
        <translation>预写日志</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>not installed; it runs from its source</source>
        <translation>未安装；从源代码运行</translation>
    </message>
    <message>
        <source>not installed; only the window needs it</source>
        <translation>未安装；只有窗口需要它</translation>
    </message>
    <message>
        <source>owners</source>
        <translation>占用者</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>queued</source>
        <translation>排队中</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>schema</source>
        <translation>数据结构</translation>
    </message>
    <message>
        <source>size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>sleeping</source>
        <translation>休眠中</translation>
    </message>
    <message>
        <source>system</source>
        <translation>系统</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>workflows</source>
        <translation>工作流</translation>
    </message>
    <message>
        <source>{count} {state}</source>
        <translation>{count} 个{state}</translation>
    </message>
    <message>
        <source>{there}; this program&apos;s own is {own}</source>
        <translation>{there}；本程序自己的是 {own}</translation>
    </message>
</context>
<context>
    <name>Day</name>
    <message>
        <source>Fri</source>
        <translation>周五</translation>
    </message>
    <message>
        <source>Mon</source>
        <translation>周一</translation>
    </message>
    <message>
        <source>Sat</source>
        <translation>周六</translation>
    </message>
    <message>
        <source>Sun</source>
        <translation>周日</translation>
    </message>
    <message>
        <source>Thu</source>
        <translation>周四</translation>
    </message>
    <message>
        <source>Tue</source>
        <translation>周二</translation>
    </message>
    <message>
        <source>Wed</source>
        <translation>周三</translation>
    </message>
</context>
<context>
    <name>Desktop</name>
    <message>
        <source>Copied to the clipboard</source>
        <translation>已复制到剪贴板</translation>
    </message>
    <message>
        <source>No program opens {path}</source>
        <translation>没有程序可以打开 {path}</translation>
    </message>
</context>
<context>
    <name>Details</name>
    <message numerus="yes">
        <source>%n attempt(s)</source>
        <translation>
            <numerusform>%n 次尝试</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n problem(s)</source>
        <translation>
            <numerusform>%n 个问题</numerusform>
        </translation>
    </message>
    <message>
        <source>&amp;Log</source>
        <translation>日志(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Overview</source>
        <translation>概览(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Records</source>
        <translation>记录(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Steps</source>
        <translation>步骤(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Steps ({count})</source>
        <translation>步骤（{count}）(&amp;S)</translation>
    </message>
    <message numerus="yes">
        <source>(%n earlier one(s))</source>
        <translation>
            <numerusform>（之前还有 %n 个）</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>(%n more character(s))</source>
        <translation>
            <numerusform>（还有 %n 个字符）</numerusform>
        </translation>
    </message>
    <message>
        <source>(empty)</source>
        <translation>（空）</translation>
    </message>
    <message>
        <source>(none)</source>
        <translation>（无）</translation>
    </message>
    <message>
        <source>A new workflow begins with what was recorded before that step. What that step and those after it do happens once more. The workflow that is shown stays as it is.</source>
        <translation>将新建一个工作流，沿用该步骤之前的记录；该步骤及其后的步骤会再做一遍。当前显示的工作流保持不变。</translation>
    </message>
    <message>
        <source>Answer: {name}</source>
        <translation>回答：{name}</translation>
    </message>
    <message>
        <source>As a new workflow; this one stays as it is</source>
        <translation>作为新的工作流；当前的保持不变</translation>
    </message>
    <message>
        <source>Attempts</source>
        <translation>尝试次数</translation>
    </message>
    <message>
        <source>Continue with version {version}</source>
        <translation>用版本 {version} 继续</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy all of it as text, for a report</source>
        <translation>将全部内容复制为文本，用于报告</translation>
    </message>
    <message>
        <source>Copy details</source>
        <translation>复制详情</translation>
    </message>
    <message>
        <source>Created</source>
        <translation>创建时间</translation>
    </message>
    <message>
        <source>Debug</source>
        <translation>调试</translation>
    </message>
    <message>
        <source>Details of the workflow</source>
        <translation>工作流详情</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>时长</translation>
    </message>
    <message>
        <source>Elapsed</source>
        <translation>已用时间</translation>
    </message>
    <message>
        <source>Ended: {name}</source>
        <translation>已结束：{name}</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>结束时间</translation>
    </message>
    <message>
        <source>Go on from where it ended</source>
        <translation>从结束处继续</translation>
    </message>
    <message>
        <source>Hide the traceback</source>
        <translation>隐藏调用栈</translation>
    </message>
    <message>
        <source>Input</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>It ends as soon as the step that runs lets go.</source>
        <translation>正在运行的步骤一停下，它就会结束。</translation>
    </message>
    <message>
        <source>It failed between two steps</source>
        <translation>在两个步骤之间失败</translation>
    </message>
    <message>
        <source>It goes on {time}.</source>
        <translation>继续时间：{time}。</translation>
    </message>
    <message>
        <source>It pauses as soon as the step that runs lets go.</source>
        <translation>正在运行的步骤一停下，它就会暂停。</translation>
    </message>
    <message>
        <source>It starts {time}.</source>
        <translation>开始时间：{time}。</translation>
    </message>
    <message>
        <source>It waits for an answer to “{name}”: {hint}</source>
        <translation>正在等待对“{name}”的回答：{hint}</translation>
    </message>
    <message>
        <source>It waits for the message “{name}”, which a program sends.</source>
        <translation>正在等待由程序发来的消息“{name}”。</translation>
    </message>
    <message>
        <source>It waits for the task “{name}”, which it started.</source>
        <translation>正在等待由它启动的任务“{name}”。</translation>
    </message>
    <message>
        <source>It was answered before, with {value}; the first answer stands.</source>
        <translation>之前已经回答过：{value}；以第一次的回答为准。</translation>
    </message>
    <message>
        <source>It was removed from the list.</source>
        <translation>它已从列表中移除。</translation>
    </message>
    <message>
        <source>L&amp;ist</source>
        <translation>列表(&amp;I)</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Message: {name}</source>
        <translation>消息：{name}</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>No program that is open can run “{name}”, version {version}. Open one that can, and it goes on.</source>
        <translation>当前打开的程序都不能运行“{name}”版本 {version}。打开一个能运行它的程序，它就会继续。</translation>
    </message>
    <message>
        <source>No step is recorded yet.</source>
        <translation>还没有记录任何步骤。</translation>
    </message>
    <message>
        <source>Nothing that is open has version {version} of “{name}”, with which it began. This program has version {newest}, which does not say that it can go on with it: ask whoever wrote it, or let it go on and see.</source>
        <translation>它开始时用的是“{name}”版本 {version}，当前打开的程序都没有这个版本。本程序有版本 {newest}，但没有声明能接着运行：请询问编写者，或者让它继续试试。</translation>
    </message>
    <message>
        <source>Nothing was logged.</source>
        <translation>没有日志。</translation>
    </message>
    <message>
        <source>Once the cause is mended, Retry goes on from the step that failed. What is finished stays finished.</source>
        <translation>解决原因后，用“重试”从失败的步骤继续。已完成的不会重做。</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>打开文件夹</translation>
    </message>
    <message>
        <source>Parts of the details</source>
        <translation>详情的各部分</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Remaining</source>
        <translation>剩余时间</translation>
    </message>
    <message>
        <source>Rerun from here ...</source>
        <translation>从此处重新运行…</translation>
    </message>
    <message>
        <source>Rerun from “{step}” ...</source>
        <translation>从“{step}”重新运行…</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Resume lets it go on where it was.</source>
        <translation>用“继续”从停下处接着做。</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Retry takes it up again where it ended.</source>
        <translation>用“重试”从结束处接着做。</translation>
    </message>
    <message>
        <source>Retry these ...</source>
        <translation>重试这些…</translation>
    </message>
    <message>
        <source>Run again</source>
        <translation>重新运行</translation>
    </message>
    <message>
        <source>Run again from “{step}”?</source>
        <translation>要从“{step}”重新运行吗？</translation>
    </message>
    <message>
        <source>Select a workflow to see its details.</source>
        <translation>选择一个工作流以查看详情。</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>全选</translation>
    </message>
    <message>
        <source>Show the traceback</source>
        <translation>显示调用栈</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Sleep: {name}</source>
        <translation>休眠：{name}</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>开始时间</translation>
    </message>
    <message>
        <source>Started: {name}</source>
        <translation>已启动：{name}</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步骤</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步骤</translation>
    </message>
    <message>
        <source>The details were copied</source>
        <translation>已复制详情</translation>
    </message>
    <message>
        <source>The step “{step}” failed</source>
        <translation>步骤“{step}”失败</translation>
    </message>
    <message>
        <source>This is a fault in the workflow&apos;s own code. Copy the details and send them to whoever wrote it; with a version that is mended, Retry goes on from here.</source>
        <translation>这是工作流自身代码的错误。请复制详情并发给编写者；换上修好的版本后，用“重试”从此处继续。</translation>
    </message>
    <message>
        <source>This workflow is not there any more: it was deleted.</source>
        <translation>这个工作流已不存在：它已被删除。</translation>
    </message>
    <message>
        <source>Times</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Took</source>
        <translation>用时</translation>
    </message>
    <message>
        <source>Traceback</source>
        <translation>调用栈</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>What it waits for</source>
        <translation>正在等待什么</translation>
    </message>
    <message>
        <source>What you can do</source>
        <translation>您可以这样做</translation>
    </message>
    <message>
        <source>about {duration}</source>
        <translation>约 {duration}</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>还有 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>no</source>
        <translation>否</translation>
    </message>
    <message>
        <source>not finished</source>
        <translation>未完成</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>whether that step happened</source>
        <translation>该步骤是否已执行</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>{count} bytes</source>
        <translation>{count} 字节</translation>
    </message>
    <message>
        <source>{level}: {text}</source>
        <translation>{level}：{text}</translation>
    </message>
    <message>
        <source>{size} ({exact})</source>
        <translation>{size}（{exact}）</translation>
    </message>
    <message>
        <source>{step}: attempt {number}</source>
        <translation>{step}：第 {number} 次尝试</translation>
    </message>
    <message>
        <source>{step}: begun</source>
        <translation>{step}：已开始</translation>
    </message>
    <message>
        <source>“{name}” goes on {time}.</source>
        <translation>“{name}”的继续时间：{time}。</translation>
    </message>
    <message>
        <source>“{step}” failed: {error}
It is tried again {time}, attempt {attempt} of {attempts}.</source>
        <translation>“{step}”失败：{error}
下次尝试：{time}，第 {attempt} 次，共 {attempts} 次。</translation>
    </message>
</context>
<context>
    <name>Diagnostics</name>
    <message numerus="yes">
        <source>%n workflow(s)</source>
        <translation>
            <numerusform>%n 个工作流</numerusform>
        </translation>
    </message>
    <message>
        <source>&amp;Another file ...</source>
        <translation>其他文件(&amp;A)…</translation>
    </message>
    <message>
        <source>&amp;Back up now</source>
        <translation>立即备份(&amp;B)</translation>
    </message>
    <message>
        <source>&amp;Check the file</source>
        <translation>检查文件(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Restore a backup ...</source>
        <translation>还原备份(&amp;R)…</translation>
    </message>
    <message>
        <source>A backup was made: {path}</source>
        <translation>已创建备份：{path}</translation>
    </message>
    <message>
        <source>All is well.</source>
        <translation>一切正常。</translation>
    </message>
    <message>
        <source>Backups</source>
        <translation>备份</translation>
    </message>
    <message>
        <source>C&amp;opy all</source>
        <translation>复制全部(&amp;O)</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Choose a backup</source>
        <translation>选择备份</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Diagnostics</source>
        <translation>诊断</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Holds</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>Made</source>
        <translation>创建时间</translation>
    </message>
    <message>
        <source>Making a backup ...</source>
        <translation>正在创建备份…</translation>
    </message>
    <message>
        <source>No backup was made: {reason}</source>
        <translation>未能创建备份：{reason}</translation>
    </message>
    <message>
        <source>Open the &amp;data folder</source>
        <translation>打开数据文件夹(&amp;D)</translation>
    </message>
    <message>
        <source>Open the &amp;log folder</source>
        <translation>打开日志文件夹(&amp;L)</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>程序</translation>
    </message>
    <message>
        <source>Reading the backups ...</source>
        <translation>正在读取备份…</translation>
    </message>
    <message>
        <source>Reading the file and its backups ...</source>
        <translation>正在读取文件及其备份…</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>还原</translation>
    </message>
    <message>
        <source>Restore a backup</source>
        <translation>还原备份</translation>
    </message>
    <message>
        <source>Set aside</source>
        <translation>另行保留的文件</translation>
    </message>
    <message>
        <source>The file is damaged. Restore a backup; the file is kept beside it.</source>
        <translation>文件已损坏。请还原备份；该文件会保留在备份旁边。</translation>
    </message>
    <message>
        <source>There is no backup yet, in {folder}.</source>
        <translation>{folder} 中还没有备份。</translation>
    </message>
    <message>
        <source>They are in {folder}.</source>
        <translation>备份位于 {folder}。</translation>
    </message>
    <message>
        <source>What is known of the program and its file</source>
        <translation>程序及其文件的信息</translation>
    </message>
    <message>
        <source>What is wrong with the file</source>
        <translation>文件有哪些错误</translation>
    </message>
    <message>
        <source>What runs is parked, the backup takes the place of the file, and the window opens again. The file as it is now is kept beside it; what was recorded since the backup is only there.</source>
        <translation>正在运行的会先挂起，然后用备份替换文件，并重新打开窗口。当前的文件会保留在旁边；备份之后的记录只存在于该文件中。</translation>
    </message>
    <message>
        <source>Workflows</source>
        <translation>工作流</translation>
    </message>
    <message>
        <source>damaged itself</source>
        <translation>本身已损坏</translation>
    </message>
    <message>
        <source>{date} ({when})</source>
        <translation>{date}（{when}）</translation>
    </message>
    <message>
        <source>{workflows}, {size}</source>
        <translation>{workflows}，{size}</translation>
    </message>
</context>
<context>
    <name>Duration</name>
    <message>
        <source>{n} d</source>
        <translation>{n} 天</translation>
    </message>
    <message>
        <source>{n} d {hours} h</source>
        <translation>{n} 天 {hours} 小时</translation>
    </message>
    <message>
        <source>{n} h</source>
        <translation>{n} 小时</translation>
    </message>
    <message>
        <source>{n} h {minutes} min</source>
        <translation>{n} 小时 {minutes} 分</translation>
    </message>
    <message>
        <source>{n} min</source>
        <translation>{n} 分钟</translation>
    </message>
    <message>
        <source>{n} min {seconds} s</source>
        <translation>{n} 分 {seconds} 秒</translation>
    </message>
    <message>
        <source>{n} ms</source>
        <translation>{n} 毫秒</translation>
    </message>
    <message>
        <source>{n} s</source>
        <translation>{n} 秒</translation>
    </message>
</context>
<context>
    <name>Faults</name>
    <message>
        <source>A newer Stepfast has opened this file, and this one can write to it no more. Quit, and start the newer one.</source>
        <translation>更新版本的 Stepfast 打开过此文件，当前版本无法再写入。请退出，并启动新版本。</translation>
    </message>
    <message>
        <source>After an error of the disk the file&apos;s log is only added to, and grows. All is safe; close the other programs that use the file, then open it anew.</source>
        <translation>磁盘出错后，文件的预写日志只增不减。所有内容都安全；请关闭使用此文件的其他程序，然后重新打开文件。</translation>
    </message>
    <message>
        <source>Another program keeps the file of your workflows to itself.</source>
        <translation>另一个程序独占了工作流文件。</translation>
    </message>
    <message>
        <source>Another program reads for so long that the file&apos;s log grows.</source>
        <translation>另一个程序读取时间过长，导致文件的预写日志不断增大。</translation>
    </message>
    <message>
        <source>No backup can be made.</source>
        <translation>无法创建备份。</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>打开文件夹</translation>
    </message>
    <message>
        <source>Open the file anew</source>
        <translation>重新打开文件</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>Restore a backup ...</source>
        <translation>还原备份…</translation>
    </message>
    <message>
        <source>Something is wrong with the file of your workflows.</source>
        <translation>工作流文件出了问题。</translation>
    </message>
    <message>
        <source>The disk at {disk} is full ({size} free), so nothing new is begun. Nothing that is recorded is lost; make some room there, and it goes on by itself.</source>
        <translation>位于 {disk} 的磁盘已满（剩余 {size}），因此不再开始新的工作。已记录的内容不会丢失；请腾出一些空间，之后会自动继续。</translation>
    </message>
    <message>
        <source>The disk at {disk} takes nothing more, though {size} are free there: perhaps a quota is used up. Nothing new is begun. Nothing that is recorded is lost; make some room there, and it goes on by itself.</source>
        <translation>位于 {disk} 的磁盘无法再写入，尽管还剩余 {size}：可能是配额已用尽。不再开始新的工作。已记录的内容不会丢失；请腾出一些空间，之后会自动继续。</translation>
    </message>
    <message>
        <source>The disk is full, so nothing new is begun. Nothing that is recorded is lost; make some room there, and it goes on by itself.</source>
        <translation>磁盘已满，因此不再开始新的工作。已记录的内容不会丢失；请腾出一些空间，之后会自动继续。</translation>
    </message>
    <message>
        <source>The disk reports errors, so nothing new is begun.</source>
        <translation>磁盘报告错误，因此不再开始新的工作。</translation>
    </message>
    <message>
        <source>The file of your workflows cannot be written, so nothing new is begun.</source>
        <translation>工作流文件无法写入，因此不再开始新的工作。</translation>
    </message>
    <message>
        <source>The file of your workflows is damaged. Nothing is written to it.</source>
        <translation>工作流文件已损坏。不会再写入任何内容。</translation>
    </message>
    <message>
        <source>The file of your workflows is not where it was.</source>
        <translation>工作流文件不在原来的位置。</translation>
    </message>
    <message>
        <source>Try again now</source>
        <translation>立即重试</translation>
    </message>
</context>
<context>
    <name>Form</name>
    <message>
        <source>&amp;More</source>
        <translation>更多(&amp;M)</translation>
    </message>
    <message>
        <source>Add at least one.</source>
        <translation>请至少添加一个。</translation>
    </message>
    <message>
        <source>Add files ...</source>
        <translation>添加文件…</translation>
    </message>
    <message>
        <source>Add folder ...</source>
        <translation>添加文件夹…</translation>
    </message>
    <message>
        <source>Add to {title}</source>
        <translation>添加到“{title}”</translation>
    </message>
    <message>
        <source>Browse ...</source>
        <translation>浏览…</translation>
    </message>
    <message>
        <source>Browse for {title}</source>
        <translation>浏览“{title}”</translation>
    </message>
    <message>
        <source>Choose ...</source>
        <translation>请选择…</translation>
    </message>
    <message>
        <source>Choose a file or a folder.</source>
        <translation>请选择文件或文件夹。</translation>
    </message>
    <message>
        <source>Choose a file.</source>
        <translation>请选择文件。</translation>
    </message>
    <message>
        <source>Choose a folder.</source>
        <translation>请选择文件夹。</translation>
    </message>
    <message>
        <source>Choose one.</source>
        <translation>请选择一项。</translation>
    </message>
    <message>
        <source>File ...</source>
        <translation>文件…</translation>
    </message>
    <message>
        <source>Folded up</source>
        <translation>已折叠</translation>
    </message>
    <message>
        <source>Folder ...</source>
        <translation>文件夹…</translation>
    </message>
    <message>
        <source>Line {number}: {problem}</source>
        <translation>第 {number} 行：{problem}</translation>
    </message>
    <message>
        <source>More options</source>
        <translation>更多选项</translation>
    </message>
    <message>
        <source>Move down</source>
        <translation>下移</translation>
    </message>
    <message>
        <source>Move up</source>
        <translation>上移</translation>
    </message>
    <message>
        <source>No</source>
        <translation>否</translation>
    </message>
    <message>
        <source>Nothing</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Shown below</source>
        <translation>已在下方展开</translation>
    </message>
    <message>
        <source>There is no user of that name on this computer.</source>
        <translation>这台电脑上没有该用户。</translation>
    </message>
    <message>
        <source>This cannot be empty.</source>
        <translation>此项不能为空。</translation>
    </message>
    <message>
        <source>This cannot be started: {reason}.</source>
        <translation>无法启动：{reason}。</translation>
    </message>
    <message>
        <source>This could not be looked at before it starts: {reason}.</source>
        <translation>启动前无法查看：{reason}。</translation>
    </message>
    <message>
        <source>This is no path.</source>
        <translation>这不是路径。</translation>
    </message>
    <message>
        <source>This is not what is needed: {reason}.</source>
        <translation>不符合要求：{reason}。</translation>
    </message>
    <message>
        <source>This leads to no place on this computer.</source>
        <translation>这台电脑上没有这个位置。</translation>
    </message>
    <message>
        <source>Write a UUID: 32 digits of 0-9 and a-f.</source>
        <translation>请填写 UUID：32 位 0-9 和 a-f。</translation>
    </message>
    <message>
        <source>Write a date and time, such as 2026-11-29 16:50.</source>
        <translation>请填写日期和时间，例如 2026-11-29 16:50。</translation>
    </message>
    <message>
        <source>Write a date, such as 2026-11-29.</source>
        <translation>请填写日期，例如 2026-11-29。</translation>
    </message>
    <message>
        <source>Write a number from {least} to {most}.</source>
        <translation>请填写 {least} 到 {most} 之间的数字。</translation>
    </message>
    <message>
        <source>Write a number from {least} up.</source>
        <translation>请填写不小于 {least} 的数字。</translation>
    </message>
    <message>
        <source>Write a number up to {most}.</source>
        <translation>请填写不大于 {most} 的数字。</translation>
    </message>
    <message>
        <source>Write a number, such as {number}.</source>
        <translation>请填写数字，例如 {number}。</translation>
    </message>
    <message>
        <source>Write a time, such as 16:50.</source>
        <translation>请填写时间，例如 16:50。</translation>
    </message>
    <message>
        <source>Write a whole number, such as 12.</source>
        <translation>请填写整数，例如 12。</translation>
    </message>
    <message>
        <source>Write at least one, each on a line of its own.</source>
        <translation>请至少填写一个，每行一个。</translation>
    </message>
    <message>
        <source>Write how long, with its unit: 90s, 5m or 1h30m.</source>
        <translation>请填写带单位的时长：90s、5m 或 1h30m。</translation>
    </message>
    <message>
        <source>Write one of: {choices}.</source>
        <translation>请填写以下之一：{choices}。</translation>
    </message>
    <message>
        <source>Write the whole path, from the top.</source>
        <translation>请填写从根目录开始的完整路径。</translation>
    </message>
    <message>
        <source>Write yes or no.</source>
        <translation>请填写是或否。</translation>
    </message>
    <message>
        <source>Write {what}, as JSON.</source>
        <translation>请以 JSON 填写：{what}。</translation>
    </message>
    <message>
        <source>Write {what}.</source>
        <translation>请填写：{what}。</translation>
    </message>
    <message>
        <source>Yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>such as {example}</source>
        <translation>例如 {example}</translation>
    </message>
    <message>
        <source>{title} (optional)</source>
        <translation>{title}（可选）</translation>
    </message>
    <message>
        <source>“{path}” is a file. Choose a folder.</source>
        <translation>“{path}”是文件。请选择文件夹。</translation>
    </message>
    <message>
        <source>“{path}” is a folder. Choose a file.</source>
        <translation>“{path}”是文件夹。请选择文件。</translation>
    </message>
    <message>
        <source>“{path}” is not there. Check its name, or connect its disk.</source>
        <translation>“{path}”不存在。请检查名称，或连接它所在的磁盘。</translation>
    </message>
</context>
<context>
    <name>Frozen</name>
    <message>
        <source>Do not open</source>
        <translation>不打开</translation>
    </message>
    <message>
        <source>End the frozen one</source>
        <translation>结束无响应的程序</translation>
    </message>
    <message>
        <source>It may be busy, or stuck; waiting costs nothing, and this goes away by itself when it answers. Ending it loses nothing that its steps have recorded. Read-only, you can look at everything, and nothing is started or changed.

{folder}</source>
        <translation>它可能正忙，也可能卡住了；等待没有任何损失，一旦它有响应，此窗口会自动消失。结束它不会丢失步骤已记录的内容。以只读方式打开可以查看一切，但不会启动或更改任何内容。

{folder}</translation>
    </message>
    <message>
        <source>Open read-only</source>
        <translation>以只读方式打开</translation>
    </message>
    <message>
        <source>Stepfast is open already, but does not answer.</source>
        <translation>Stepfast 已经打开，但没有响应。</translation>
    </message>
</context>
<context>
    <name>Happened</name>
    <message numerus="yes">
        <source>%n workflow(s) carried on from the last step.</source>
        <translation>
            <numerusform>%n 个工作流已从停下处继续。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) waiting for your answer.</source>
        <translation>
            <numerusform>%n 个工作流正在等待您的回答。</numerusform>
        </translation>
    </message>
    <message>
        <source>Another Stepfast program was ended without warning.</source>
        <translation>另一个 Stepfast 程序曾意外终止。</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>查看</translation>
    </message>
    <message>
        <source>Stepfast was ended without warning.</source>
        <translation>Stepfast 曾意外终止。</translation>
    </message>
    <message>
        <source>The clock was set back by {time}; what waits for a time waits that much longer.</source>
        <translation>时钟被拨慢了 {time}；按时间等待的工作流会相应多等这么久。</translation>
    </message>
    <message>
        <source>The clock was set forward by {time}; what waited for a time until then begins.</source>
        <translation>时钟被拨快了 {time}；等待时间已到的工作流现在开始。</translation>
    </message>
    <message>
        <source>The computer slept for {time}.</source>
        <translation>电脑睡眠了 {time}。</translation>
    </message>
</context>
<context>
    <name>Help</name>
    <message>
        <source>About Stepfast</source>
        <translation>关于 Stepfast</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Free software, under the {mit}. It uses Qt, under the {lgpl}.</source>
        <translation>自由软件，采用 {mit}。使用了 Qt，采用 {lgpl}。</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>键盘快捷键</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>按键</translation>
    </message>
    <message>
        <source>Long tasks that survive a crash: whatever is finished, is never started over.</source>
        <translation>不怕崩溃的长时间任务：做完的，绝不重来。</translation>
    </message>
    <message>
        <source>MIT license</source>
        <translation>MIT 许可证</translation>
    </message>
</context>
<context>
    <name>Log</name>
    <message numerus="yes">
        <source>%n line(s)</source>
        <translation>
            <numerusform>%n 行</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n line(s) so far ...</source>
        <translation>
            <numerusform>目前 %n 行…</numerusform>
        </translation>
    </message>
    <message>
        <source>All lines</source>
        <translation>所有行</translation>
    </message>
    <message>
        <source>Errors</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>No line of this kind was logged.</source>
        <translation>没有此类日志。</translation>
    </message>
    <message>
        <source>Not found</source>
        <translation>未找到</translation>
    </message>
    <message>
        <source>Reading ...</source>
        <translation>正在读取…</translation>
    </message>
    <message>
        <source>Search in the log</source>
        <translation>在日志中搜索</translation>
    </message>
    <message>
        <source>The next one (F3)</source>
        <translation>下一个 (F3)</translation>
    </message>
    <message>
        <source>The one before (Shift+F3)</source>
        <translation>上一个 (Shift+F3)</translation>
    </message>
    <message>
        <source>Warnings and errors</source>
        <translation>警告和错误</translation>
    </message>
    <message>
        <source>Which lines</source>
        <translation>显示哪些行</translation>
    </message>
    <message>
        <source>Without debug lines</source>
        <translation>不含调试信息</translation>
    </message>
</context>
<context>
    <name>LoginStart</name>
    <message numerus="yes">
        <source>%n workflow(s) stood still since the computer was started. Stepfast can start when you log in.</source>
        <translation>
            <numerusform>电脑启动后，%n 个工作流一直停着。Stepfast 可以在您登录时自动启动。</numerusform>
        </translation>
    </message>
    <message>
        <source>It cannot be set whether Stepfast starts at login: {error}</source>
        <translation>无法设置 Stepfast 是否在登录时启动：{error}</translation>
    </message>
    <message>
        <source>Start when I log in</source>
        <translation>登录时启动</translation>
    </message>
</context>
<context>
    <name>Mishaps</name>
    <message>
        <source>Copy details</source>
        <translation>复制详情</translation>
    </message>
    <message>
        <source>Open the log</source>
        <translation>打开日志</translation>
    </message>
    <message>
        <source>Show file</source>
        <translation>显示文件</translation>
    </message>
    <message>
        <source>Something went wrong in Stepfast; your workflows go on. {error}</source>
        <translation>Stepfast 出了点问题；您的工作流会继续。{error}</translation>
    </message>
    <message>
        <source>Stepfast crashed {time}. What was running carries on from its last finished step.</source>
        <translation>Stepfast 曾经崩溃（{time}）。当时运行的会从最后完成的步骤继续。</translation>
    </message>
</context>
<context>
    <name>Month</name>
    <message>
        <source>Apr</source>
        <translation>4月</translation>
    </message>
    <message>
        <source>Aug</source>
        <translation>8月</translation>
    </message>
    <message>
        <source>Dec</source>
        <translation>12月</translation>
    </message>
    <message>
        <source>Feb</source>
        <translation>2月</translation>
    </message>
    <message>
        <source>Jan</source>
        <translation>1月</translation>
    </message>
    <message>
        <source>Jul</source>
        <translation>7月</translation>
    </message>
    <message>
        <source>Jun</source>
        <translation>6月</translation>
    </message>
    <message>
        <source>Mar</source>
        <translation>3月</translation>
    </message>
    <message>
        <source>May</source>
        <translation>5月</translation>
    </message>
    <message>
        <source>Nov</source>
        <translation>11月</translation>
    </message>
    <message>
        <source>Oct</source>
        <translation>10月</translation>
    </message>
    <message>
        <source>Sep</source>
        <translation>9月</translation>
    </message>
</context>
<context>
    <name>NewWorkflow</name>
    <message>
        <source>A preset of “{title}”</source>
        <translation>“{title}”的预设</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Error: {text}</source>
        <translation>错误：{text}</translation>
    </message>
    <message>
        <source>It cannot be read: {reason}.</source>
        <translation>无法读取：{reason}。</translation>
    </message>
    <message>
        <source>It runs in another program, in a form that cannot be shown here. Start it there.</source>
        <translation>它在另一个程序中运行，其表单无法在此显示。请在那个程序中启动。</translation>
    </message>
    <message>
        <source>It was not started: {reason}.</source>
        <translation>未能启动：{reason}。</translation>
    </message>
    <message>
        <source>Looking ...</source>
        <translation>正在查看…</translation>
    </message>
    <message>
        <source>New workflow</source>
        <translation>新建工作流</translation>
    </message>
    <message>
        <source>Of this preset, this does not fit any more: {names}.</source>
        <translation>此预设中的以下内容已不适用：{names}。</translation>
    </message>
    <message>
        <source>Runs in another program that is open.</source>
        <translation>在另一个已打开的程序中运行。</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Search the tasks</source>
        <translation>搜索任务</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>启动</translation>
    </message>
    <message>
        <source>Start later</source>
        <translation>稍后启动</translation>
    </message>
    <message>
        <source>Tasks</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>There is nothing to start</source>
        <translation>没有可启动的任务</translation>
    </message>
    <message numerus="yes">
        <source>Those are %n thing(s). Drop one folder at a time: each becomes a workflow of its own.</source>
        <translation>
            <numerusform>这里有 %n 项。请一次只拖入一个文件夹：每个文件夹会成为一个单独的工作流。</numerusform>
        </translation>
    </message>
    <message>
        <source>Warning: {text}</source>
        <translation>警告：{text}</translation>
    </message>
    <message>
        <source>What other programs offer cannot be read: {reason}.</source>
        <translation>无法读取其他程序提供的任务：{reason}。</translation>
    </message>
    <message>
        <source>What was dropped is no file or folder of this computer.</source>
        <translation>拖入的不是这台电脑上的文件或文件夹。</translation>
    </message>
    <message>
        <source>What was found</source>
        <translation>查看结果</translation>
    </message>
    <message>
        <source>{id} starts {time}</source>
        <translation>{id} 的开始时间：{time}</translation>
    </message>
    <message>
        <source>“{name}” is a file, and no task here takes a file. Drop a folder.</source>
        <translation>“{name}”是文件，而这里没有处理文件的任务。请拖入文件夹。</translation>
    </message>
    <message>
        <source>“{name}” is a folder, and no task here takes a folder.</source>
        <translation>“{name}”是文件夹，而这里没有处理文件夹的任务。</translation>
    </message>
    <message>
        <source>“{name}” is not known here, so it cannot be started anew.</source>
        <translation>这里没有“{name}”，因此无法再次启动。</translation>
    </message>
    <message>
        <source>“{name}” is not there, or cannot be read.</source>
        <translation>“{name}”不存在，或无法读取。</translation>
    </message>
</context>
<context>
    <name>Notices</name>
    <message>
        <source>Close (Esc)</source>
        <translation>关闭 (Esc)</translation>
    </message>
    <message>
        <source>Close this notice</source>
        <translation>关闭此提示</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>Notice</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>警告</translation>
    </message>
</context>
<context>
    <name>Notification</name>
    <message numerus="yes">
        <source>%n problem(s)</source>
        <translation>
            <numerusform>%n 个问题</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) done</source>
        <translation>
            <numerusform>%n 个工作流已完成</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) failed</source>
        <translation>
            <numerusform>%n 个工作流失败</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) waiting for your answer</source>
        <translation>
            <numerusform>%n 个工作流正在等待您的回答</numerusform>
        </translation>
    </message>
    <message>
        <source>Show</source>
        <translation>查看</translation>
    </message>
    <message>
        <source>{name}, after {time}</source>
        <translation>{name}，用时 {time}</translation>
    </message>
    <message>
        <source>{name}, after {time}, {problems}</source>
        <translation>{name}，用时 {time}，{problems}</translation>
    </message>
    <message>
        <source>{some} and others</source>
        <translation>{some} 等</translation>
    </message>
    <message>
        <source>{task} failed</source>
        <translation>{task} 失败</translation>
    </message>
    <message>
        <source>{task} is done</source>
        <translation>{task} 已完成</translation>
    </message>
    <message>
        <source>{task} needs your answer</source>
        <translation>{task} 需要您回答</translation>
    </message>
</context>
<context>
    <name>Number</name>
    <message>
        <source>{n}%</source>
        <comment>a percentage</comment>
        <translation>{n}%</translation>
    </message>
</context>
<context>
    <name>Presets</name>
    <message>
        <source>Delete preset</source>
        <translation>删除预设</translation>
    </message>
    <message>
        <source>Name of the preset (one of that name is replaced):</source>
        <translation>预设名称（同名预设将被替换）：</translation>
    </message>
    <message>
        <source>New name:</source>
        <translation>新名称：</translation>
    </message>
    <message>
        <source>Preset: {title}</source>
        <translation>预设：{title}</translation>
    </message>
    <message>
        <source>Presets</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>Rename preset</source>
        <translation>重命名预设</translation>
    </message>
    <message>
        <source>Rename preset ...</source>
        <translation>重命名预设…</translation>
    </message>
    <message>
        <source>Reset to defaults</source>
        <translation>重置为默认值</translation>
    </message>
    <message>
        <source>Save as preset</source>
        <translation>存为预设</translation>
    </message>
    <message>
        <source>Save as preset ...</source>
        <translation>存为预设…</translation>
    </message>
</context>
<context>
    <name>Problem</name>
    <message>
        <source>Another version of Stepfast has this folder open. Quit that one first.</source>
        <translation>另一个版本的 Stepfast 正在使用此文件夹。请先退出它。</translation>
    </message>
    <message>
        <source>Open the backup of {made_at}</source>
        <translation>打开 {made_at} 的备份</translation>
    </message>
    <message>
        <source>The file of your workflows is damaged. Nothing was written to it.</source>
        <translation>工作流文件已损坏。没有写入任何内容。</translation>
    </message>
    <message numerus="yes">
        <source>There is a backup of {made_at}, with %n workflow(s). What was done since then is not in it. The damaged file is kept beside it:
{path}</source>
        <translation>
            <numerusform>有一份 {made_at} 的备份，含 %n 个工作流。此后所做的不在其中。损坏的文件会保留在旁边：
{path}</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Progress</name>
    <message>
        <source>{count} so far</source>
        <translation>目前 {count}</translation>
    </message>
    <message>
        <source>{percent}, {said}</source>
        <translation>{percent}，{said}</translation>
    </message>
</context>
<context>
    <name>Questions</name>
    <message>
        <source>&amp;Give up: the step fails</source>
        <translation>放弃：该步骤失败(&amp;G)</translation>
    </message>
    <message>
        <source>&amp;No, do it again</source>
        <translation>否，再做一遍(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Yes, and it came to this value:</source>
        <translation>是，得到的值为(&amp;Y)：</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Did “{step}” happen?</source>
        <translation>“{step}”是否已执行？</translation>
    </message>
    <message>
        <source>No</source>
        <translation>否</translation>
    </message>
    <message>
        <source>Something is not filled in right yet.</source>
        <translation>还有内容没有填对。</translation>
    </message>
    <message>
        <source>The program ended while this step ran. Look whether what it does was done; nobody else can tell.</source>
        <translation>此步骤运行时程序终止了。请查看它要做的事是否已经做完；只有您能判断。</translation>
    </message>
    <message>
        <source>The value that the step came to</source>
        <translation>该步骤得到的值</translation>
    </message>
    <message>
        <source>What it asks</source>
        <translation>它在询问什么</translation>
    </message>
    <message>
        <source>Yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>Your answer</source>
        <translation>您的回答</translation>
    </message>
    <message>
        <source>text, or a value as JSON; nothing where it is empty</source>
        <translation>文本或 JSON 值；留空表示空值</translation>
    </message>
</context>
<context>
    <name>Quitting</name>
    <message numerus="yes">
        <source>%n workflow(s) still to be finished.</source>
        <translation>
            <numerusform>还有 %n 个工作流未结束。</numerusform>
        </translation>
    </message>
    <message>
        <source>Do not quit</source>
        <translation>不退出</translation>
    </message>
    <message>
        <source>Keep running in the background</source>
        <translation>在后台继续运行</translation>
    </message>
    <message numerus="yes">
        <source>Parking what runs, for at most %n second(s) more.</source>
        <translation>
            <numerusform>正在挂起运行中的工作流，最多还需 %n 秒。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Parking what runs, for at most %n second(s) more: {names}</source>
        <translation>
            <numerusform>正在挂起运行中的工作流，最多还需 %n 秒：{names}</numerusform>
        </translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>Quit now</source>
        <translation>立即退出</translation>
    </message>
    <message>
        <source>Quit whenever you like: what is done stays done, and the rest carries on where it was as soon as Stepfast is opened again. Or let it go on now, without a window.</source>
        <translation>您可以随时退出：做完的不会丢失，其余的会在下次打开 Stepfast 时从停下处继续。也可以让它们现在就继续，不需要窗口。</translation>
    </message>
    <message>
        <source>Start Stepfast when I log in</source>
        <translation>登录时启动 Stepfast</translation>
    </message>
</context>
<context>
    <name>ReadOnly</name>
    <message>
        <source>Read-only: {file} cannot be written. What you see is as it was {time}; nothing is started or changed here. Give yourself permission to write there, or mount the disk for writing, and start Stepfast again.</source>
        <translation>只读：无法写入 {file}。您看到的是 {time} 时的状态；这里不会启动或更改任何内容。请为自己授予那里的写入权限，或以可写方式挂载该磁盘，然后重新启动 Stepfast。</translation>
    </message>
    <message>
        <source>This window is read-only: nothing is started or changed in it</source>
        <translation>此窗口为只读：这里不会启动或更改任何内容</translation>
    </message>
</context>
<context>
    <name>Records</name>
    <message>
        <source>Copy value</source>
        <translation>复制值</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Nothing is recorded yet.</source>
        <translation>还没有任何记录。</translation>
    </message>
    <message>
        <source>Records</source>
        <translation>记录</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>answer</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>attempt</source>
        <translation>尝试</translation>
    </message>
    <message>
        <source>begun</source>
        <translation>已开始</translation>
    </message>
    <message>
        <source>message</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>sleep</source>
        <translation>休眠</translation>
    </message>
    <message>
        <source>step</source>
        <translation>步骤</translation>
    </message>
    <message>
        <source>task ended</source>
        <translation>任务已结束</translation>
    </message>
    <message>
        <source>task started</source>
        <translation>任务已启动</translation>
    </message>
</context>
<context>
    <name>Restored</name>
    <message>
        <source>Open folder</source>
        <translation>打开文件夹</translation>
    </message>
    <message>
        <source>The file before it is kept as {name}.</source>
        <translation>之前的文件保留为 {name}。</translation>
    </message>
    <message>
        <source>This is a backup.</source>
        <translation>这是一份备份。</translation>
    </message>
    <message>
        <source>This is the backup of {time}.</source>
        <translation>这是 {time} 的备份。</translation>
    </message>
</context>
<context>
    <name>Schedules</name>
    <message>
        <source>&amp;Edit ...</source>
        <translation>编辑(&amp;E)…</translation>
    </message>
    <message>
        <source>&amp;Name</source>
        <translation>名称(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;New ...</source>
        <translation>新建(&amp;N)…</translation>
    </message>
    <message>
        <source>&amp;Run now</source>
        <translation>立即运行(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Task</source>
        <translation>任务(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Undo remove</source>
        <translation>撤销移除(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;When</source>
        <translation>时间(&amp;W)</translation>
    </message>
    <message>
        <source>A name stays; its runs are called by it.</source>
        <translation>名称不能更改；它启动的工作流以此命名。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Change a schedule</source>
        <translation>更改计划</translation>
    </message>
    <message>
        <source>Choose a day at least.</source>
        <translation>请至少选择一天。</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>How many</source>
        <translation>数量</translation>
    </message>
    <message>
        <source>It needs a name.</source>
        <translation>需要一个名称。</translation>
    </message>
    <message>
        <source>It was not kept: {reason}</source>
        <translation>未能保存：{reason}</translation>
    </message>
    <message>
        <source>Its input does not fit any more: {reason}</source>
        <translation>它的输入已不适用：{reason}</translation>
    </message>
    <message>
        <source>Last</source>
        <translation>上次</translation>
    </message>
    <message>
        <source>Make &amp;up for missed runs, with one</source>
        <translation>错过后补运行一次(&amp;U)</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>New schedule</source>
        <translation>新建计划</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下次</translation>
    </message>
    <message>
        <source>Nothing is scheduled. A schedule starts a workflow again and again, whenever Stepfast is open, or at work in the background.</source>
        <translation>没有任何计划。计划会一次次启动工作流，只要 Stepfast 打开着，或在后台工作。</translation>
    </message>
    <message>
        <source>Of what</source>
        <translation>单位</translation>
    </message>
    <message>
        <source>Re&amp;move</source>
        <translation>移除(&amp;M)</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Schedules</source>
        <translation>计划</translation>
    </message>
    <message>
        <source>Small letters a to z, digits, dots, dashes and underscores, at most 100.</source>
        <translation>只能用小写字母 a 到 z、数字、点、短横线和下划线，最多 100 个字符。</translation>
    </message>
    <message>
        <source>Switch &amp;on</source>
        <translation>启用(&amp;O)</translation>
    </message>
    <message>
        <source>Switch o&amp;ff</source>
        <translation>停用(&amp;F)</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>That was not done: {reason}</source>
        <translation>未能完成：{reason}</translation>
    </message>
    <message>
        <source>The schedules cannot be read: {reason}</source>
        <translation>无法读取计划：{reason}</translation>
    </message>
    <message>
        <source>There is a schedule of that name.</source>
        <translation>已有同名计划。</translation>
    </message>
    <message>
        <source>There is a schedule {name} again, which stays as it is.</source>
        <translation>又有了名为 {name} 的计划，它保持不变。</translation>
    </message>
    <message>
        <source>This task belongs to another program; its input stays as it is.</source>
        <translation>此任务属于另一个程序；它的输入保持不变。</translation>
    </message>
    <message>
        <source>Time of day</source>
        <translation>时刻</translation>
    </message>
    <message>
        <source>When</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>a rule that this version does not know</source>
        <translation>此版本不认识的规则</translation>
    </message>
    <message>
        <source>again and again, every</source>
        <translation>每隔</translation>
    </message>
    <message>
        <source>daily at</source>
        <translation>每天</translation>
    </message>
    <message>
        <source>daily at {clock}</source>
        <translation>每天 {clock}</translation>
    </message>
    <message>
        <source>days</source>
        <translation>天</translation>
    </message>
    <message>
        <source>every {time}</source>
        <translation>每 {time}</translation>
    </message>
    <message>
        <source>for instance: nightly-copy</source>
        <translation>例如：nightly-copy</translation>
    </message>
    <message>
        <source>hours</source>
        <translation>小时</translation>
    </message>
    <message>
        <source>minutes</source>
        <translation>分钟</translation>
    </message>
    <message>
        <source>never: this computer cannot tell when</source>
        <translation>永不：这台电脑无法算出时间</translation>
    </message>
    <message>
        <source>not yet</source>
        <translation>尚未运行</translation>
    </message>
    <message>
        <source>off</source>
        <translation>已停用</translation>
    </message>
    <message>
        <source>on some days of the week at</source>
        <translation>每周指定日</translation>
    </message>
    <message>
        <source>seconds</source>
        <translation>秒</translation>
    </message>
    <message>
        <source>{days} at {clock}</source>
        <translation>{days} {clock}</translation>
    </message>
    <message>
        <source>{id} has started</source>
        <translation>{id} 已启动</translation>
    </message>
    <message>
        <source>{name} is back</source>
        <translation>{name} 已恢复</translation>
    </message>
    <message>
        <source>{name} is removed</source>
        <translation>{name} 已移除</translation>
    </message>
    <message>
        <source>{name} is switched off</source>
        <translation>{name} 已停用</translation>
    </message>
    <message>
        <source>{name} is switched on</source>
        <translation>{name} 已启用</translation>
    </message>
    <message>
        <source>{text} ({zone})</source>
        <translation>{text}（{zone}）</translation>
    </message>
    <message>
        <source>{time}: {state}</source>
        <translation>{time}：{state}</translation>
    </message>
</context>
<context>
    <name>Settings</name>
    <message>
        <source>&amp;Appearance</source>
        <translation>外观(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;General</source>
        <translation>常规(&amp;G)</translation>
    </message>
    <message>
        <source>&amp;Keep what has finished for</source>
        <translation>已结束的保留(&amp;K)</translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation>语言(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Notifications</source>
        <translation>通知(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Run at once</source>
        <translation>最多同时运行(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Speed limit for copying</source>
        <translation>复制限速(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Start Stepfast when I log in</source>
        <translation>登录时启动 Stepfast(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Workflows</source>
        <translation>工作流(&amp;W)</translation>
    </message>
    <message>
        <source>A whole number from {least} to {most}</source>
        <translation>{least} 到 {most} 之间的整数</translation>
    </message>
    <message>
        <source>All copying of this program together, at once; checking a copy counts too.</source>
        <translation>本程序同时进行的所有复制合计；校验副本也计算在内。</translation>
    </message>
    <message>
        <source>Always, on battery too</source>
        <translation>始终，包括用电池时</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Closing the lid puts it to sleep all the same.</source>
        <translation>合上盖子时，电脑仍会睡眠。</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>Errors</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>Everything</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Go on in the background, without a window</source>
        <translation>在后台继续，不显示窗口</translation>
    </message>
    <message>
        <source>Hide the window, and go on</source>
        <translation>隐藏窗口并继续</translation>
    </message>
    <message>
        <source>How many run at the same time, in all programs on this file together. What runs already goes on.</source>
        <translation>所有使用此文件的程序合计同时运行的数量。已在运行的会继续。</translation>
    </message>
    <message>
        <source>Keep in the l&amp;og</source>
        <translation>日志内容(&amp;O)</translation>
    </message>
    <message>
        <source>Keep the computer &amp;awake while one runs</source>
        <translation>有工作流运行时保持唤醒(&amp;A)</translation>
    </message>
    <message>
        <source>L&amp;imits</source>
        <translation>限制(&amp;I)</translation>
    </message>
    <message>
        <source>L&amp;ong is what took at least</source>
        <translation>“较久”指用时至少(&amp;O)</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>MB/s</source>
        <translation>MB/s</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>从不</translation>
    </message>
    <message>
        <source>Notify me, while the window is out of sight, when:</source>
        <translation>窗口不可见时，在以下情况通知我：</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>打开文件夹</translation>
    </message>
    <message>
        <source>Queue “{queue}”</source>
        <translation>队列“{queue}”</translation>
    </message>
    <message>
        <source>Quit; what runs carries on the next time</source>
        <translation>退出；运行中的下次继续</translation>
    </message>
    <message>
        <source>Set the file aside</source>
        <translation>将文件移到一边</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Show an icon in the &amp;tray, where there is one</source>
        <translation>在系统托盘显示图标（若有）(&amp;T)</translation>
    </message>
    <message>
        <source>Stepfast speaks it from its next start on.</source>
        <translation>下次启动 Stepfast 时生效。</translation>
    </message>
    <message>
        <source>That could not be changed: {reason}</source>
        <translation>未能更改：{reason}</translation>
    </message>
    <message>
        <source>The settings cannot be kept in {file}: {reason}</source>
        <translation>设置无法保存到 {file}：{reason}</translation>
    </message>
    <message>
        <source>The settings in {file} cannot be read, so the usual ones count, and what you change is not kept: {reason}</source>
        <translation>无法读取 {file} 中的设置，因此采用默认设置，所作更改不会保留：{reason}</translation>
    </message>
    <message>
        <source>This program has no tasks.</source>
        <translation>此程序没有任务。</translation>
    </message>
    <message>
        <source>Warnings</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>What happens</source>
        <translation>运行情况</translation>
    </message>
    <message>
        <source>What is older goes within the hour, from this list only: files that a workflow made stay.</source>
        <translation>更早的会在一小时内清除，且只从此列表中清除：工作流生成的文件会保留。</translation>
    </message>
    <message>
        <source>When the window is &amp;closed</source>
        <translation>关闭窗口时(&amp;C)</translation>
    </message>
    <message>
        <source>While on mains power</source>
        <translation>接通电源时</translation>
    </message>
    <message>
        <source>a &amp;long one has finished</source>
        <translation>用时较久的工作流已结束(&amp;L)</translation>
    </message>
    <message>
        <source>a workflow has &amp;failed</source>
        <translation>工作流失败(&amp;F)</translation>
    </message>
    <message>
        <source>a workflow has a &amp;question for me</source>
        <translation>工作流需要我回答(&amp;Q)</translation>
    </message>
    <message>
        <source>and at &amp;most</source>
        <translation>且最多保留(&amp;M)</translation>
    </message>
    <message>
        <source>at once at most</source>
        <translation>个同时运行（最多）</translation>
    </message>
    <message>
        <source>days</source>
        <translation>天</translation>
    </message>
    <message>
        <source>keep all</source>
        <translation>全部保留</translation>
    </message>
    <message>
        <source>minutes</source>
        <translation>分钟</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>不限</translation>
    </message>
    <message>
        <source>workflows</source>
        <translation>个工作流</translation>
    </message>
    <message>
        <source>workflows at most</source>
        <translation>个工作流</translation>
    </message>
    <message>
        <source>{number}, or nothing: {none}</source>
        <translation>{number}；留空则{none}</translation>
    </message>
</context>
<context>
    <name>Sidebar</name>
    <message>
        <source>All</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Blocked</source>
        <translation>受阻</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>Completed</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>已结束</translation>
    </message>
    <message>
        <source>Needs you</source>
        <translation>需要您处理</translation>
    </message>
    <message>
        <source>No blocked workflows match “{text}”.</source>
        <translation>没有与“{text}”匹配的受阻工作流。</translation>
    </message>
    <message>
        <source>No cancelled workflows match “{text}”.</source>
        <translation>没有与“{text}”匹配的已取消工作流。</translation>
    </message>
    <message>
        <source>No completed workflows match “{text}”.</source>
        <translation>没有与“{text}”匹配的已完成工作流。</translation>
    </message>
    <message>
        <source>No failed workflows match “{text}”.</source>
        <translation>没有与“{text}”匹配的失败工作流。</translation>
    </message>
    <message>
        <source>No finished workflows match “{text}”.</source>
        <translation>没有与“{text}”匹配的已结束工作流。</translation>
    </message>
    <message>
        <source>No paused workflows match “{text}”.</source>
        <translation>没有与“{text}”匹配的已暂停工作流。</translation>
    </message>
    <message>
        <source>No pending workflows match “{text}”.</source>
        <translation>没有与“{text}”匹配的未结束工作流。</translation>
    </message>
    <message>
        <source>No queued workflows match “{text}”.</source>
        <translation>没有与“{text}”匹配的排队中工作流。</translation>
    </message>
    <message>
        <source>No removed workflows match “{text}”.</source>
        <translation>没有与“{text}”匹配的已移除工作流。</translation>
    </message>
    <message>
        <source>No running workflows match “{text}”.</source>
        <translation>没有与“{text}”匹配的运行中工作流。</translation>
    </message>
    <message>
        <source>No sleeping workflows match “{text}”.</source>
        <translation>没有与“{text}”匹配的休眠中工作流。</translation>
    </message>
    <message>
        <source>No waiting workflows match “{text}”.</source>
        <translation>没有与“{text}”匹配的等待中工作流。</translation>
    </message>
    <message>
        <source>No workflows completed with problems.</source>
        <translation>没有已完成但有问题的工作流。</translation>
    </message>
    <message>
        <source>No workflows match “{text}”.</source>
        <translation>没有与“{text}”匹配的工作流。</translation>
    </message>
    <message>
        <source>No workflows need you now.</source>
        <translation>现在没有需要您处理的工作流。</translation>
    </message>
    <message>
        <source>No workflows that completed with problems match “{text}”.</source>
        <translation>没有已完成但有问题的工作流与“{text}”匹配。</translation>
    </message>
    <message>
        <source>No workflows that need you match “{text}”.</source>
        <translation>没有与“{text}”匹配且需要您处理的工作流。</translation>
    </message>
    <message>
        <source>Nothing was removed in the last day.</source>
        <translation>最近一天没有移除任何工作流。</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>Pending</source>
        <translation>未结束</translation>
    </message>
    <message>
        <source>Queued</source>
        <translation>排队中</translation>
    </message>
    <message>
        <source>Recently removed</source>
        <translation>最近移除</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>Sleeping</source>
        <translation>休眠中</translation>
    </message>
    <message>
        <source>There are no blocked workflows.</source>
        <translation>没有受阻的工作流。</translation>
    </message>
    <message>
        <source>There are no cancelled workflows.</source>
        <translation>没有已取消的工作流。</translation>
    </message>
    <message>
        <source>There are no completed workflows.</source>
        <translation>没有已完成的工作流。</translation>
    </message>
    <message>
        <source>There are no failed workflows.</source>
        <translation>没有失败的工作流。</translation>
    </message>
    <message>
        <source>There are no finished workflows.</source>
        <translation>没有已结束的工作流。</translation>
    </message>
    <message>
        <source>There are no paused workflows.</source>
        <translation>没有已暂停的工作流。</translation>
    </message>
    <message>
        <source>There are no pending workflows.</source>
        <translation>没有未结束的工作流。</translation>
    </message>
    <message>
        <source>There are no queued workflows.</source>
        <translation>没有排队中的工作流。</translation>
    </message>
    <message>
        <source>There are no running workflows.</source>
        <translation>没有运行中的工作流。</translation>
    </message>
    <message>
        <source>There are no sleeping workflows.</source>
        <translation>没有休眠中的工作流。</translation>
    </message>
    <message>
        <source>There are no waiting workflows.</source>
        <translation>没有等待中的工作流。</translation>
    </message>
    <message>
        <source>There are no workflows.</source>
        <translation>没有工作流。</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>With problems</source>
        <translation>有问题</translation>
    </message>
    <message>
        <source>{title}, {count}</source>
        <translation>{title}，{count}</translation>
    </message>
</context>
<context>
    <name>Size</name>
    <message numerus="yes">
        <source>%n byte(s)</source>
        <translation>
            <numerusform>%n 字节</numerusform>
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
        <translation>名称最多 {most} 个字符，且都必须可见。</translation>
    </message>
    <message>
        <source>At once at most</source>
        <translation>最多同时运行</translation>
    </message>
    <message>
        <source>How many of this kind may run at once, this one and all others; empty for any number</source>
        <translation>同类工作流最多同时运行多少个，对这个和所有其他的都有效；留空则不限</translation>
    </message>
    <message>
        <source>It waits until then, whether this program runs meanwhile or not</source>
        <translation>到那时才开始，无论本程序在此期间是否运行</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Priority</source>
        <translation>优先级</translation>
    </message>
    <message>
        <source>Start later</source>
        <translation>稍后启动</translation>
    </message>
    <message>
        <source>The higher goes first among what is ready</source>
        <translation>就绪的工作流中，数值较大的先运行</translation>
    </message>
    <message>
        <source>There is a workflow of that name already.</source>
        <translation>已有同名的工作流。</translation>
    </message>
    <message>
        <source>This moment is past.</source>
        <translation>这个时间已经过去。</translation>
    </message>
    <message>
        <source>What it is called in the list; one is made up where this is empty</source>
        <translation>在列表中显示的名称；留空则自动生成</translation>
    </message>
</context>
<context>
    <name>State</name>
    <message numerus="yes">
        <source>%n problem(s)</source>
        <translation>
            <numerusform>%n 个问题</numerusform>
        </translation>
    </message>
    <message>
        <source>Asks: {question}</source>
        <translation>询问：{question}</translation>
    </message>
    <message>
        <source>Blocked: did “{step}” happen?</source>
        <translation>受阻：“{step}”是否已执行？</translation>
    </message>
    <message>
        <source>Blocked: needs you</source>
        <translation>受阻：需要您处理</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>Cancelling</source>
        <translation>正在取消</translation>
    </message>
    <message>
        <source>Completed</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>Pausing</source>
        <translation>正在暂停</translation>
    </message>
    <message>
        <source>Queued</source>
        <translation>排队中</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>Sleeping until {time}</source>
        <translation>休眠至 {time}</translation>
    </message>
    <message>
        <source>Trying again at {time}, attempt {attempt} of {attempts}: {error}</source>
        <translation>{time} 重试（{attempt}/{attempts}）：{error}</translation>
    </message>
    <message>
        <source>Waiting for a message</source>
        <translation>等待消息</translation>
    </message>
    <message>
        <source>Waiting for an answer</source>
        <translation>等待回答</translation>
    </message>
    <message>
        <source>Waiting for another task</source>
        <translation>等待另一个任务</translation>
    </message>
    <message>
        <source>{state}, {problems}</source>
        <translation>{state}，{problems}</translation>
    </message>
</context>
<context>
    <name>Table</name>
    <message numerus="yes">
        <source>%n child workflow(s)</source>
        <translation>
            <numerusform>%n 个子工作流</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n failed</source>
        <comment>of the children of a row</comment>
        <translation>
            <numerusform>%n 个失败</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n finished</source>
        <comment>of the children of a row</comment>
        <translation>
            <numerusform>%n 个已结束</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>(%n)</source>
        <comment>how many children a row has</comment>
        <translation>
            <numerusform>（%n）</numerusform>
        </translation>
    </message>
    <message>
        <source>({children}, {failed})</source>
        <translation>（{children}，{failed}）</translation>
    </message>
    <message>
        <source>As they will run</source>
        <translation>按将要运行的顺序</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>列</translation>
    </message>
    <message>
        <source>Elapsed</source>
        <translation>已用时间</translation>
    </message>
    <message>
        <source>Failed attempts</source>
        <translation>失败次数</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>结束时间</translation>
    </message>
    <message>
        <source>Id</source>
        <translation>ID</translation>
    </message>
    <message>
        <source>In reverse</source>
        <translation>倒序</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Or let it go on with version {version}, which does not say that it can: {command}</source>
        <translation>或者让它用版本 {version} 继续，但该版本没有声明支持这样做：{command}</translation>
    </message>
    <message>
        <source>Pending first</source>
        <translation>未结束的在前</translation>
    </message>
    <message>
        <source>Priority</source>
        <translation>优先级</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Queued: nothing running can do this</source>
        <translation>排队中：运行中的程序都不能执行它</translation>
    </message>
    <message>
        <source>Remaining</source>
        <translation>剩余时间</translation>
    </message>
    <message>
        <source>Reset columns</source>
        <translation>重置列</translation>
    </message>
    <message>
        <source>Sort by</source>
        <translation>排序方式</translation>
    </message>
    <message>
        <source>Start a program that has {name}, version {version}, for instance:</source>
        <translation>请启动含有 {name} 版本 {version} 的程序，例如：</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>开始时间</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步骤</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>Workflows</source>
        <translation>工作流</translation>
    </message>
    <message>
        <source>child of {parent}</source>
        <translation>{parent} 的子工作流</translation>
    </message>
    <message>
        <source>collapsed</source>
        <translation>已折叠</translation>
    </message>
    <message>
        <source>expanded</source>
        <translation>已展开</translation>
    </message>
</context>
<context>
    <name>Text</name>
    <message>
        <source>, </source>
        <comment>between the things of a list</comment>
        <translation>、</translation>
    </message>
    <message>
        <source>. </source>
        <comment>between two sentences</comment>
        <translation>。</translation>
    </message>
    <message>
        <source>{label}: {text}</source>
        <translation>{label}：{text}</translation>
    </message>
</context>
<context>
    <name>Time</name>
    <message>
        <source>a moment ago</source>
        <translation>刚刚</translation>
    </message>
    <message>
        <source>in a moment</source>
        <translation>马上</translation>
    </message>
    <message>
        <source>today {clock}</source>
        <translation>今天 {clock}</translation>
    </message>
    <message>
        <source>tomorrow {clock}</source>
        <translation>明天 {clock}</translation>
    </message>
    <message>
        <source>yesterday {clock}</source>
        <translation>昨天 {clock}</translation>
    </message>
    <message>
        <source>{day} {clock}</source>
        <translation>{day} {clock}</translation>
    </message>
    <message>
        <source>{day} {month}</source>
        <translation>{month}{day}日</translation>
    </message>
    <message>
        <source>{day} {month} {year}</source>
        <translation>{year}年{month}{day}日</translation>
    </message>
</context>
<context>
    <name>Timeline</name>
    <message numerus="yes">
        <source>%n attempt(s)</source>
        <translation>
            <numerusform>%n 次尝试</numerusform>
        </translation>
    </message>
    <message>
        <source>All</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Plus and minus zoom, left and right move, 0 shows all of it</source>
        <translation>加号和减号缩放，左右键移动，0 显示全部</translation>
    </message>
    <message>
        <source>Show all of it (0)</source>
        <translation>显示全部 (0)</translation>
    </message>
    <message>
        <source>Task: {name}</source>
        <translation>任务：{name}</translation>
    </message>
    <message>
        <source>Ti&amp;meline</source>
        <translation>时间线(&amp;M)</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>Zoom in (+)</source>
        <translation>放大 (+)</translation>
    </message>
    <message>
        <source>Zoom out (-)</source>
        <translation>缩小 (-)</translation>
    </message>
    <message>
        <source>attempt {number}, done</source>
        <translation>第 {number} 次尝试，已完成</translation>
    </message>
    <message>
        <source>attempt {number}, failed</source>
        <translation>第 {number} 次尝试，失败</translation>
    </message>
    <message>
        <source>attempt {number}, interrupted</source>
        <translation>第 {number} 次尝试，被中断</translation>
    </message>
    <message>
        <source>attempt {number}, running</source>
        <translation>第 {number} 次尝试，运行中</translation>
    </message>
    <message>
        <source>done</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>interrupted</source>
        <translation>被中断</translation>
    </message>
    <message>
        <source>not finished</source>
        <translation>未完成</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>the whole workflow</source>
        <translation>整个工作流</translation>
    </message>
    <message>
        <source>waited</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>waits for the next attempt</source>
        <translation>正在等待下次尝试</translation>
    </message>
    <message>
        <source>{number} s</source>
        <translation>{number} 秒</translation>
    </message>
</context>
<context>
    <name>Tools</name>
    <message>
        <source>&amp;About Stepfast</source>
        <translation>关于 Stepfast(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Diagnostics ...</source>
        <translation>诊断(&amp;D)…</translation>
    </message>
    <message>
        <source>&amp;Export for a bug report ...</source>
        <translation>导出错误报告(&amp;E)…</translation>
    </message>
    <message>
        <source>&amp;Keyboard shortcuts</source>
        <translation>键盘快捷键(&amp;K)</translation>
    </message>
    <message>
        <source>&amp;Settings ...</source>
        <translation>设置(&amp;S)…</translation>
    </message>
    <message>
        <source>Choose the workflow that the report is about first.</source>
        <translation>请先选择报告所涉及的工作流。</translation>
    </message>
    <message>
        <source>S&amp;chedules ...</source>
        <translation>计划(&amp;C)…</translation>
    </message>
    <message>
        <source>The report was written: {path}</source>
        <translation>报告已写入：{path}</translation>
    </message>
</context>
<context>
    <name>Tray</name>
    <message numerus="yes">
        <source>%n workflow(s) failed</source>
        <translation>
            <numerusform>%n 个工作流失败</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) running</source>
        <translation>
            <numerusform>%n 个工作流正在运行</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) waiting for you</source>
        <translation>
            <numerusform>%n 个工作流正在等您处理</numerusform>
        </translation>
    </message>
    <message>
        <source>Hide Stepfast</source>
        <translation>隐藏 Stepfast</translation>
    </message>
    <message>
        <source>Nothing is running</source>
        <translation>没有正在运行的工作流</translation>
    </message>
    <message>
        <source>Pause all</source>
        <translation>全部暂停</translation>
    </message>
    <message>
        <source>Resume all</source>
        <translation>全部继续</translation>
    </message>
    <message>
        <source>Show Stepfast</source>
        <translation>显示 Stepfast</translation>
    </message>
    <message>
        <source>Stepfast</source>
        <translation>Stepfast</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>还有 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>{name}: {progress}</source>
        <translation>{name}：{progress}</translation>
    </message>
    <message>
        <source>{running}, {percent}</source>
        <translation>{running}，{percent}</translation>
    </message>
</context>
<context>
    <name>Turn</name>
    <message>
        <source>All {n} places of this program are taken. It runs once one of those that run has ended.</source>
        <translation>此程序的 {n} 个位置都已占用。等其中一个运行中的结束后，它就会运行。</translation>
    </message>
    <message>
        <source>It starts as soon as it is its turn.</source>
        <translation>轮到它时就会开始。</translation>
    </message>
    <message numerus="yes">
        <source>It waits for a free place, behind %n workflow(s) at work.</source>
        <translation>
            <numerusform>正在等待空位，前面有 %n 个工作流在运行。</numerusform>
        </translation>
    </message>
    <message>
        <source>The limit of the queue “{queue}” is reached: {n} at once. It runs once one of those that run has ended.</source>
        <translation>已达到队列“{queue}”的上限：同时 {n} 个。等其中一个运行中的结束后，它就会运行。</translation>
    </message>
    <message>
        <source>The limit of “{title}” is reached: {n} at once. It runs once one of those that run has ended.</source>
        <translation>已达到“{title}”的上限：同时 {n} 个。等其中一个运行中的结束后，它就会运行。</translation>
    </message>
</context>
<context>
    <name>Welcome</name>
    <message>
        <source>Quit or crash whenever you like: it carries on.</source>
        <translation>随时可以退出，崩溃也不要紧：之后会接着做。</translation>
    </message>
    <message>
        <source>What would you like to do?</source>
        <translation>您想做什么？</translation>
    </message>
    <message>
        <source>or drop a folder here</source>
        <translation>或将文件夹拖到这里</translation>
    </message>
    <message>
        <source>{title} ...</source>
        <translation>{title}…</translation>
    </message>
</context>
<context>
    <name>WhenDone</name>
    <message numerus="yes">
        <source>All is done. The computer goes to sleep in %n second(s).</source>
        <translation>
            <numerusform>全部完成。电脑将在 %n 秒后睡眠。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>All is done. The computer shuts down in %n second(s).</source>
        <translation>
            <numerusform>全部完成。电脑将在 %n 秒后关机。</numerusform>
        </translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Do nothing</source>
        <translation>什么也不做</translation>
    </message>
    <message>
        <source>Put the computer to sleep</source>
        <translation>让电脑睡眠</translation>
    </message>
    <message>
        <source>Shut the computer down</source>
        <translation>关闭电脑</translation>
    </message>
    <message>
        <source>The computer cannot be put to sleep: {why}</source>
        <translation>无法让电脑睡眠：{why}</translation>
    </message>
    <message>
        <source>The computer cannot be shut down: {why}</source>
        <translation>无法关闭电脑：{why}</translation>
    </message>
    <message>
        <source>When all is done</source>
        <translation>全部完成后</translation>
    </message>
</context>
<context>
    <name>Window</name>
    <message numerus="yes">
        <source>%n failed</source>
        <translation>
            <numerusform>%n 个失败</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n pending</source>
        <translation>
            <numerusform>%n 个未结束</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n running</source>
        <translation>
            <numerusform>%n 个运行中</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n selected</source>
        <translation>
            <numerusform>已选 %n 个</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n waiting for you</source>
        <translation>
            <numerusform>%n 个待您处理</numerusform>
        </translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>编辑(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Tools</source>
        <translation>工具(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Workflow</source>
        <translation>工作流(&amp;W)</translation>
    </message>
    <message>
        <source>Actions</source>
        <translation>操作</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>清除</translation>
    </message>
    <message>
        <source>Find</source>
        <translation>查找</translation>
    </message>
    <message>
        <source>Go to the next workflow that waits for you</source>
        <translation>转到下一个待您处理的工作流</translation>
    </message>
    <message>
        <source>New workflow ...</source>
        <translation>新建工作流…</translation>
    </message>
    <message>
        <source>Next that needs you</source>
        <translation>下一个待您处理的</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>Quit and keep running in the background</source>
        <translation>退出并在后台继续运行</translation>
    </message>
    <message>
        <source>Read-only: another Stepfast has this folder open and does not answer. Nothing is started or changed here.</source>
        <translation>只读：另一个 Stepfast 正在使用此文件夹，且没有响应。这里不会启动或更改任何内容。</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Search by name or kind</source>
        <translation>按名称或类型搜索</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>全选</translation>
    </message>
    <message>
        <source>Show all workflows again</source>
        <translation>重新显示所有工作流</translation>
    </message>
    <message>
        <source>Sidebar</source>
        <translation>侧边栏</translation>
    </message>
    <message>
        <source>Start when I log in</source>
        <translation>登录时启动</translation>
    </message>
    <message>
        <source>Stop the worker in the background</source>
        <translation>停止后台进程</translation>
    </message>
    <message>
        <source>{id} has started</source>
        <translation>{id} 已启动</translation>
    </message>
    <message>
        <source>{names}: loaded the next time that Stepfast is started</source>
        <translation>{names}：将在下次启动 Stepfast 时加载</translation>
    </message>
</context>
<context>
    <name>Workflows</name>
    <message>
        <source>Already there</source>
        <translation>已存在</translation>
    </message>
    <message>
        <source>Cannot be read: {names} and {n} more.</source>
        <translation>无法读取：{names} 等，另有 {n} 个。</translation>
    </message>
    <message>
        <source>Cannot be read: {names}.</source>
        <translation>无法读取：{names}。</translation>
    </message>
    <message>
        <source>Copy a folder</source>
        <translation>复制文件夹</translation>
    </message>
    <message>
        <source>Copy what is in source into destination, with times, permissions and symbolic links.</source>
        <translation>把源文件夹中的内容复制到目标文件夹，保留时间、权限和符号链接。</translation>
    </message>
    <message>
        <source>Counting ... {files}, {size} so far.</source>
        <translation>正在统计… 目前 {files}，{size}。</translation>
    </message>
    <message>
        <source>Destination</source>
        <translation>目标</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>用时</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Files that are there already and differ</source>
        <translation>已存在且内容不同的文件</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Links</source>
        <translation>链接</translation>
    </message>
    <message>
        <source>Only the problems of</source>
        <translation>仅限此次复制的问题</translation>
    </message>
    <message>
        <source>Only what was a problem of “{name}” is copied.</source>
        <translation>仅复制“{name}”中出现问题的内容。</translation>
    </message>
    <message>
        <source>Overwrite</source>
        <translation>覆盖</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Read every copied file back from the disk and compare</source>
        <translation>从磁盘读回每个复制的文件并进行比较</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Skip</source>
        <translation>跳过</translation>
    </message>
    <message>
        <source>Skip leaves them as they are and reports them</source>
        <translation>“跳过”会保留它们原样并报告</translation>
    </message>
    <message>
        <source>Skipped</source>
        <translation>已跳过</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>源</translation>
    </message>
    <message>
        <source>The destination is full: {path} has no room for the rest. Free {size} more there and `retry`; what was copied is kept, and it goes on from there.</source>
        <translation>目标已满：{path} 没有足够空间存放其余内容。请在那里再腾出 {size}，然后重试；已复制的内容会保留，并从那里继续。</translation>
    </message>
    <message>
        <source>The destination {path} cannot be a folder: {other} is a file.</source>
        <translation>目标 {path} 不能是文件夹：{other} 是一个文件。</translation>
    </message>
    <message>
        <source>The destination {path} cannot be a folder: {other} is a link that leads nowhere.</source>
        <translation>目标 {path} 不能是文件夹：{other} 是一个无效的链接。</translation>
    </message>
    <message>
        <source>The destination {path} cannot be made or written to: {reason}. Choose another, or change its permissions and `retry`.</source>
        <translation>无法创建或写入目标 {path}：{reason}。请选择其他目标，或更改其权限后重试。</translation>
    </message>
    <message>
        <source>The destination {path} cannot be written: {other} is read-only, or there is no permission. Choose another folder, or change its permissions.</source>
        <translation>无法写入目标 {path}：{other} 是只读的，或没有权限。请选择其他文件夹，或更改其权限。</translation>
    </message>
    <message>
        <source>The destination {path} fails: {reason}. Look after that disk, or connect it again, and `retry`; what was copied is kept.</source>
        <translation>目标 {path} 出错：{reason}。请检查该磁盘，或重新连接，然后重试；已复制的内容会保留。</translation>
    </message>
    <message>
        <source>The destination {path} has become read-only, as the system does when a disk has errors. Make it writable and `retry`; what was copied is kept.</source>
        <translation>目标 {path} 已变为只读，系统在磁盘出错时会这样做。请使其可写，然后重试；已复制的内容会保留。</translation>
    </message>
    <message>
        <source>The destination {path} is inside the source, so the copy would have to hold itself. Choose a folder outside it.</source>
        <translation>目标 {path} 位于源文件夹之内，副本将不得不包含自身。请选择源文件夹之外的文件夹。</translation>
    </message>
    <message>
        <source>The destination {path} is not there any more. Connect its disk, or bring the folder back, and `retry`; what was copied to it is kept.</source>
        <translation>目标 {path} 已不存在。请连接其磁盘，或恢复该文件夹，然后重试；已复制到那里的内容会保留。</translation>
    </message>
    <message>
        <source>The destination {path} is the source itself. Choose another folder.</source>
        <translation>目标 {path} 就是源文件夹本身。请选择其他文件夹。</translation>
    </message>
    <message>
        <source>The disk of {path} is full. Free some space and `retry`.</source>
        <translation>{path} 所在的磁盘已满。请腾出空间，然后重试。</translation>
    </message>
    <message>
        <source>The folder whose contents are copied</source>
        <translation>要复制其内容的文件夹</translation>
    </message>
    <message>
        <source>The name of an earlier copy of this folder: what could not be copied then is tried again</source>
        <translation>此文件夹之前某次复制的名称：当时未能复制的内容会再次尝试</translation>
    </message>
    <message>
        <source>The source would be copied over itself: it holds {name}, which in the destination {path} is the source. Choose another folder.</source>
        <translation>源文件夹会被复制到自身之上：它包含 {name}，而这在目标 {path} 中就是源文件夹。请选择其他文件夹。</translation>
    </message>
    <message>
        <source>The source {path} cannot be read any more: {reason}. Connect its disk and `retry`; what was copied is kept.</source>
        <translation>无法再读取源 {path}：{reason}。请连接其磁盘，然后重试；已复制的内容会保留。</translation>
    </message>
    <message>
        <source>The source {path} cannot be read: {reason}. Change its permissions.</source>
        <translation>无法读取源 {path}：{reason}。请更改其权限。</translation>
    </message>
    <message>
        <source>The source {path} is not a folder. Choose the folder it is in.</source>
        <translation>源 {path} 不是文件夹。请选择它所在的文件夹。</translation>
    </message>
    <message>
        <source>The source {path} is not there any more. Connect its disk, or bring the folder back, and `retry`; what was copied is kept.</source>
        <translation>源 {path} 已不存在。请连接其磁盘，或恢复该文件夹，然后重试；已复制的内容会保留。</translation>
    </message>
    <message>
        <source>There is no disk for the destination {path}. Connect it, or choose another.</source>
        <translation>目标 {path} 所需的磁盘不存在。请连接，或选择其他目标。</translation>
    </message>
    <message>
        <source>There is no folder {path}. Check its name, or connect its disk.</source>
        <translation>没有文件夹 {path}。请检查名称，或连接其磁盘。</translation>
    </message>
    <message>
        <source>There is no room: {size} are needed, and {rest}</source>
        <translation>空间不足：需要 {size}，{rest}</translation>
    </message>
    <message>
        <source>Verify</source>
        <translation>校验</translation>
    </message>
    <message>
        <source>Waiting for the disk of {path}: connect it to continue</source>
        <translation>正在等待 {path} 的磁盘：连接后继续</translation>
    </message>
    <message>
        <source>Waiting for the disk “{disk}” of {path}: connect it to continue</source>
        <translation>正在等待 {path} 的磁盘“{disk}”：连接后继续</translation>
    </message>
    <message>
        <source>Where they go; it is made if it is not there</source>
        <translation>复制到的位置；如果不存在则会创建</translation>
    </message>
    <message>
        <source>a device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>a file is there, where a folder should go</source>
        <translation>应放文件夹的位置是一个文件</translation>
    </message>
    <message>
        <source>a file is where a folder was</source>
        <translation>原来是文件夹的位置现在是文件</translation>
    </message>
    <message>
        <source>a folder is there, where this file should go</source>
        <translation>应放此文件的位置是一个文件夹</translation>
    </message>
    <message>
        <source>a folder is there, where this link should go</source>
        <translation>应放此链接的位置是一个文件夹</translation>
    </message>
    <message>
        <source>a folder is where a file was</source>
        <translation>原来是文件的位置现在是文件夹</translation>
    </message>
    <message>
        <source>a junction</source>
        <translation>联接点</translation>
    </message>
    <message>
        <source>a link is there, where a folder should go</source>
        <translation>应放文件夹的位置是一个链接</translation>
    </message>
    <message>
        <source>a link is where a file or folder was</source>
        <translation>原来是文件或文件夹的位置现在是链接</translation>
    </message>
    <message>
        <source>a named pipe</source>
        <translation>命名管道</translation>
    </message>
    <message>
        <source>a socket</source>
        <translation>套接字</translation>
    </message>
    <message>
        <source>already there and different; left as it is</source>
        <translation>已存在且内容不同；保留原样</translation>
    </message>
    <message>
        <source>already there, and cannot be read to compare: no permission</source>
        <translation>已存在，但无法读取以进行比较：没有权限</translation>
    </message>
    <message>
        <source>and more</source>
        <translation>以及更多</translation>
    </message>
    <message>
        <source>and {n} more</source>
        <translation>另有 {n} 个</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>字节</translation>
    </message>
    <message>
        <source>checking what is there: {rest}</source>
        <translation>正在检查已有内容：{rest}</translation>
    </message>
    <message>
        <source>could not be read: {reason}</source>
        <translation>无法读取：{reason}</translation>
    </message>
    <message>
        <source>could not be written: {reason}</source>
        <translation>无法写入：{reason}</translation>
    </message>
    <message>
        <source>it changed while it was being copied; copy it when nothing writes to it</source>
        <translation>复制过程中发生了变化；请在没有程序写入时复制</translation>
    </message>
    <message>
        <source>it is in use</source>
        <translation>正在使用中</translation>
    </message>
    <message>
        <source>it is not a folder any more</source>
        <translation>已不再是文件夹</translation>
    </message>
    <message>
        <source>it is not a link any more</source>
        <translation>已不再是链接</translation>
    </message>
    <message>
        <source>it is not a regular file any more</source>
        <translation>已不再是普通文件</translation>
    </message>
    <message>
        <source>it is not there any more</source>
        <translation>已不存在</translation>
    </message>
    <message>
        <source>it is too large for this file system</source>
        <translation>对此文件系统来说太大</translation>
    </message>
    <message>
        <source>its folder is not there: {reason}</source>
        <translation>其文件夹不存在：{reason}</translation>
    </message>
    <message>
        <source>its name is too long</source>
        <translation>名称太长</translation>
    </message>
    <message>
        <source>no permission</source>
        <translation>没有权限</translation>
    </message>
    <message>
        <source>not a regular file: {reason}</source>
        <translation>不是普通文件：{reason}</translation>
    </message>
    <message>
        <source>not permitted</source>
        <translation>不允许</translation>
    </message>
    <message>
        <source>of a kind of its own</source>
        <translation>特殊类型</translation>
    </message>
    <message>
        <source>the destination cannot tell its name from {name}, which is in the same folder</source>
        <translation>目标无法区分其名称与同一文件夹中的 {name}</translation>
    </message>
    <message>
        <source>the disk is full</source>
        <translation>磁盘已满</translation>
    </message>
    <message>
        <source>the disk or server is not there any more</source>
        <translation>磁盘或服务器已不存在</translation>
    </message>
    <message>
        <source>the disk reports an error (input/output error)</source>
        <translation>磁盘报告错误（输入/输出错误）</translation>
    </message>
    <message>
        <source>the file system does not take this name</source>
        <translation>文件系统不接受此名称</translation>
    </message>
    <message>
        <source>the file system does not take this name, or this request</source>
        <translation>文件系统不接受此名称或此请求</translation>
    </message>
    <message>
        <source>the file system is read-only</source>
        <translation>文件系统是只读的</translation>
    </message>
    <message>
        <source>the folder could not be read: {reason}</source>
        <translation>无法读取该文件夹：{reason}</translation>
    </message>
    <message>
        <source>the folder is not there any more</source>
        <translation>该文件夹已不存在</translation>
    </message>
    <message>
        <source>times or permissions of {files} could not be kept: {reason}</source>
        <translation>{files}的时间或权限无法保留：{reason}</translation>
    </message>
    <message>
        <source>what was read back from the destination is not what was written; check that disk</source>
        <translation>从目标读回的内容与写入的不同；请检查该磁盘</translation>
    </message>
    <message>
        <source>{files} cannot be made there, since {system} has none: {names} and {n} more.</source>
        <translation>{files}无法在那里创建，因为 {system} 不支持：{names} 等，另有 {n} 个。</translation>
    </message>
    <message>
        <source>{files} cannot be made there, since {system} has none: {names}.</source>
        <translation>{files}无法在那里创建，因为 {system} 不支持：{names}。</translation>
    </message>
    <message>
        <source>{files} cannot be written there unchanged, since {system} has no such names: {names} and {n} more.</source>
        <translation>{files}无法原样写入那里，因为 {system} 不允许这样的名称：{names} 等，另有 {n} 个。</translation>
    </message>
    <message>
        <source>{files} cannot be written there unchanged, since {system} has no such names: {names}.</source>
        <translation>{files}无法原样写入那里，因为 {system} 不允许这样的名称：{names}。</translation>
    </message>
    <message>
        <source>{files} cannot go there, since {system} takes none of {size} or more: {names} and {n} more.</source>
        <translation>{files}无法放到那里，因为 {system} 不接受 {size} 或更大的文件：{names} 等，另有 {n} 个。</translation>
    </message>
    <message>
        <source>{files} cannot go there, since {system} takes none of {size} or more: {names}.</source>
        <translation>{files}无法放到那里，因为 {system} 不接受 {size} 或更大的文件：{names}。</translation>
    </message>
    <message>
        <source>{files} found, {size}</source>
        <translation>已找到 {files}，{size}</translation>
    </message>
    <message>
        <source>{files} of that size are there already.</source>
        <translation>{files}已存在且大小相同。</translation>
    </message>
    <message>
        <source>{files} of that size are there already. {rest}</source>
        <translation>{files}已存在且大小相同。{rest}</translation>
    </message>
    <message>
        <source>{files} of that size is there already.</source>
        <translation>{files}已存在且大小相同。</translation>
    </message>
    <message>
        <source>{files} of that size is there already. {rest}</source>
        <translation>{files}已存在且大小相同。{rest}</translation>
    </message>
    <message>
        <source>{files}, {size}, copied in {time}</source>
        <translation>{files}，{size}，复制用时 {time}</translation>
    </message>
    <message>
        <source>{files}, {size}, copied in {time}, {n} there already</source>
        <translation>{files}，{size}，复制用时 {time}，{n} 个已存在</translation>
    </message>
    <message>
        <source>{files}, {size}, copied in {time}, {n} there already; “{disk}” is safe to eject</source>
        <translation>{files}，{size}，复制用时 {time}，{n} 个已存在；“{disk}”可以安全弹出</translation>
    </message>
    <message>
        <source>{files}, {size}, copied in {time}; “{disk}” is safe to eject</source>
        <translation>{files}，{size}，复制用时 {time}；“{disk}”可以安全弹出</translation>
    </message>
    <message>
        <source>{files}, {size}.</source>
        <translation>{files}，{size}。</translation>
    </message>
    <message>
        <source>{files}, {size}. {rest}</source>
        <translation>{files}，{size}。{rest}</translation>
    </message>
    <message>
        <source>{n} file</source>
        <translation>{n} 个文件</translation>
    </message>
    <message>
        <source>{n} files</source>
        <translation>{n} 个文件</translation>
    </message>
    <message>
        <source>{n} h {m} min</source>
        <translation>{n} 小时 {m} 分</translation>
    </message>
    <message>
        <source>{n} item</source>
        <translation>{n} 个项目</translation>
    </message>
    <message>
        <source>{n} items</source>
        <translation>{n} 个项目</translation>
    </message>
    <message>
        <source>{n} min {m} s</source>
        <translation>{n} 分 {m} 秒</translation>
    </message>
    <message>
        <source>{n} name</source>
        <translation>{n} 个名称</translation>
    </message>
    <message>
        <source>{n} names</source>
        <translation>{n} 个名称</translation>
    </message>
    <message>
        <source>{n} of {m} files</source>
        <translation>{n} / {m} 个文件</translation>
    </message>
    <message>
        <source>{n} of {m} files, {rest}</source>
        <translation>{n} / {m} 个文件，{rest}</translation>
    </message>
    <message>
        <source>{n} symbolic link</source>
        <translation>{n} 个符号链接</translation>
    </message>
    <message>
        <source>{n} symbolic links</source>
        <translation>{n} 个符号链接</translation>
    </message>
    <message>
        <source>{size} are free on that disk.</source>
        <translation>该磁盘可用空间为 {size}。</translation>
    </message>
    <message>
        <source>{size} are free on “{disk}”.</source>
        <translation>“{disk}”可用空间为 {size}。</translation>
    </message>
    <message>
        <source>{size} free on that disk.</source>
        <translation>该磁盘可用空间 {size}。</translation>
    </message>
    <message>
        <source>{size} free on “{disk}”.</source>
        <translation>“{disk}”可用空间 {size}。</translation>
    </message>
    <message>
        <source>{size}/s</source>
        <translation>{size}/秒</translation>
    </message>
    <message>
        <source>{size}/s, checking what is there: {rest}</source>
        <translation>{size}/秒，正在检查已有内容：{rest}</translation>
    </message>
    <message>
        <source>{x} of {y} {unit}</source>
        <translation>{x} / {y} {unit}</translation>
    </message>
    <message>
        <source>{x} of {y} {unit}, {rest}</source>
        <translation>{x} / {y} {unit}，{rest}</translation>
    </message>
    <message>
        <source>{x} s</source>
        <translation>{x} 秒</translation>
    </message>
    <message>
        <source>{x} {unit}</source>
        <translation>{x} {unit}</translation>
    </message>
</context>
</TS>
