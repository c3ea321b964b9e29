"""What a workflow asks, at the top of its details: answered by keyboard and by mouse."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QLineEdit, QPushButton, QWidget

from stepfast import Definition, Engine, Run, workflow
from stepfast.definitions.parameters import Title
from stepfast.interfaces import Kind, NewRecord
from stepfast_desktop.qt.details.details import DetailsPane
from stepfast_desktop.viewmodels.details.details import DetailsViewModel
from stepfast_desktop.viewmodels.feed import Feed

Copies: Any = Annotated[int, Title("How many copies?")]
Verdict: Any = Literal["accept", "reject"]


@workflow("ask")
async def ask(run: Run) -> list[object]:
    async with asyncio.TaskGroup() as group:
        copies = group.create_task(run.awaiting("copies", into=Copies))
        verdict = group.create_task(run.awaiting("verdict", into=Verdict))
        sure = group.create_task(run.awaiting("sure", into=bool))
        why = group.create_task(run.awaiting("why"))
    return [copies.result(), verdict.result(), sure.result(), why.result()]


@workflow("once")
async def once(run: Run) -> object:
    await run.receive("go on")
    return await run.step("pay", lambda: "paid", on_interrupt="ask")


ALL: list[Definition[..., Any]] = [ask, once]


class Desk:
    def __init__(self, engine: Engine, model: DetailsViewModel, pane: DetailsPane) -> None:
        self.engine, self.model, self.pane = engine, model, pane

    async def until(self, holds: Callable[[], object]) -> None:
        async with asyncio.timeout(60):
            while not holds():
                await asyncio.sleep(0.01)

    def card(self, title: str) -> Any:
        return next(each for each in self.pane.parts.questions.cards if each.question.title == title)

    def completed(self) -> bool:
        return self.model.state is not None and self.model.state.text == "Completed"


@pytest.fixture
async def desk(tmp_path: Path, qapp: QApplication) -> AsyncIterator[Desk]:
    async with Engine.open(tmp_path / "work.db", ALL) as engine:
        feed = Feed(engine)
        await feed.start()
        model = DetailsViewModel(engine, feed)
        pane = DetailsPane(model)
        pane.resize(900, 800)
        pane.show()
        pane.activateWindow()
        made = Desk(engine, model, pane)
        await made.until(pane.isActiveWindow)  # or nothing has the keyboard, if another was in front before
        yield made
        pane.hide()
        pane.let_go()
        await model.close()
        await feed.close()
        pane.deleteLater()


async def test_answers_are_given_by_keyboard_whichever_part_is_shown(desk: Desk) -> None:
    await desk.engine.start(ask(), id="one")
    desk.model.show("one")
    await desk.until(lambda: len(desk.pane.parts.questions.cards) == 4)
    desk.pane.parts.tabs.setCurrentIndex(2)
    assert desk.pane.parts.questions.isVisible()
    card = desk.card("How many copies?")
    line = next(each for each in card.findChildren(QLineEdit) if each.isVisible())
    assert (
        desk.pane.parts.questions.cards[0].form.editor("copies").focus.accessibleName() == "How many copies?"
    )
    line.setFocus()
    QTest.keyClicks(line, "many")
    QTest.keyClick(line, Qt.Key.Key_Return)
    await desk.until(lambda: card.message.isVisible() and card.isEnabled())
    assert line.text() == "many", "what was typed is still there to mend"
    line.setFocus()
    line.selectAll()
    QTest.keyClicks(line, "3")
    QTest.keyClick(line, Qt.Key.Key_Return)
    await desk.until(lambda: len(desk.pane.parts.questions.cards) == 3)
    assert desk.pane.parts.questions.cards[0].isAncestorOf(desk.pane.focusWidget()), (
        "on to what is asked next"
    )

    card = desk.card("Verdict")
    box = card.findChild(QComboBox)
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_Down)
    QTest.keyClick(box, Qt.Key.Key_Return)
    await desk.until(lambda: len(desk.pane.parts.questions.cards) == 2)

    card = desk.card("Sure")
    assert card.yes.accessibleName() == "Yes: Sure"
    card.focus_first()
    QTest.keyClick(card.yes, Qt.Key.Key_Tab)
    assert desk.pane.focusWidget() is card.no
    QTest.keyClick(card.no, Qt.Key.Key_Space)
    await desk.until(lambda: len(desk.pane.parts.questions.cards) == 1)

    card = desk.card("Why")
    card.focus_first()
    answered: list[bool] = []
    desk.pane.parts.questions.answered.connect(lambda: answered.append(True))
    QTest.keyClicks(card.line, '{"because": 1}')
    QTest.keyClick(card.line, Qt.Key.Key_Return)
    await desk.until(desk.completed)
    assert answered == [True], "the keyboard goes where the window says, not to whatever Qt comes upon"
    assert desk.pane.parts.questions.isHidden()
    assert '"because": 1' in desk.pane.parts.overview.result.toPlainText()


async def test_what_was_typed_outlives_an_answer_to_another_question(desk: Desk) -> None:
    await desk.engine.start(ask(), id="one")
    desk.model.show("one")
    await desk.until(lambda: len(desk.pane.parts.questions.cards) == 4)
    QTest.keyClicks(desk.card("Why").line, "half a")
    QTest.mouseClick(desk.card("Sure").yes, Qt.MouseButton.LeftButton)
    await desk.until(lambda: len(desk.pane.parts.questions.cards) == 3)
    assert desk.card("Why").line.text() == "half a"


async def test_an_interrupted_step_is_chosen_for_before_anything_is_said(desk: Desk) -> None:
    engine = desk.engine
    await engine.start(once(), id="one")
    checkpointer = engine.durable.checkpointer
    async with asyncio.timeout(60):
        while (claim := await checkpointer.claim("one")) is None:
            await asyncio.sleep(0.01)
    await checkpointer.record(claim, NewRecord(Kind.BEGUN, "1:pay", "null", 1.0))
    await checkpointer.release(claim)
    await engine.deliver("one", "now")
    desk.model.show("one")
    await desk.until(lambda: desk.pane.parts.questions.cards)
    (card,) = desk.pane.parts.questions.cards
    assert card.title.text() == "Did “pay” happen?"
    assert isinstance(card.answer, QPushButton) and not card.answer.isEnabled()
    QTest.keyClicks(card.value, "receipt 7")
    assert card.choices["happened"].isChecked() and card.answer.isEnabled()
    QTest.mouseClick(card.answer, Qt.MouseButton.LeftButton)
    await desk.until(desk.completed)
    assert "receipt 7" in desk.pane.parts.overview.result.toPlainText()


async def test_many_questions_leave_room_for_the_rest(desk: Desk) -> None:
    desk.pane.resize(700, 300)
    await desk.engine.start(ask(), id="one")
    desk.model.show("one")
    await desk.until(lambda: len(desk.pane.parts.questions.cards) == 4)
    await asyncio.sleep(0)
    assert desk.pane.parts.questions.height() <= desk.pane.height() * 0.62
    assert desk.pane.parts.questions.verticalScrollBar().maximum() > 0
    for label in desk.pane.parts.questions.findChildren(QLabel):
        assert label.width() <= desk.pane.parts.questions.viewport().width()


@pytest.mark.parametrize("known", [True, False], ids=["that is known at first", "that comes later"])
async def test_a_question_does_not_make_the_pane_larger(desk: Desk, known: bool) -> None:
    desk.pane.resize(700, 260)
    await desk.engine.start(ask(), id="one")
    while known and (await desk.engine.summary("one")).state.name != "waiting":
        await asyncio.sleep(0.01)
    least = desk.pane.minimumSizeHint().height()
    desk.model.show("one")
    await desk.until(lambda: len(desk.pane.parts.questions.cards) == 4)
    await asyncio.sleep(0.05)
    assert least <= 260 and desk.pane.minimumSizeHint().height() <= 260
    assert desk.pane.parts.questions.height() >= desk.pane.fontMetrics().height() * 4


async def test_tab_comes_to_the_answer_between_the_head_and_the_parts_below(desk: Desk) -> None:
    await desk.engine.start(ask(), id="one")
    desk.model.show("one")
    await desk.until(lambda: len(desk.pane.parts.questions.cards) == 4)
    desk.pane.parts.head.copy.setFocus()
    way: list[QWidget] = []
    while not desk.pane.parts.tabs.isAncestorOf(at := QApplication.focusWidget()) and len(way) < 40:
        way.append(at)
        QTest.keyClick(at, Qt.Key.Key_Tab)
    assert way[0] is desk.pane.parts.head.copy
    cards = [
        next(place for place, card in enumerate(desk.pane.parts.questions.cards) if card.isAncestorOf(each))
        for each in way[1:]
    ]
    assert cards == sorted(cards)
    assert set(cards) == {0, 1, 2, 3}
