import FunctionKit
import Testing

@testable import Demo

struct OutcomeTests {
  @Test func aPushIsWhatThePhoneGot() throws {
    let outcome = Outcome([trace("Ada", state: "accepted", apnsID: "1")], received: ["1": try push("Hello", "World")])

    #expect(
      outcome.pushes == [
        Outcome.Push(kind: "new_vote", person: "Ada", device: "abcdefab", title: "Hello", body: "World")
      ])
    #expect(outcome.isComplete(events: 1))
  }

  @Test(arguments: [("queued", nil), ("unknown", nil), ("accepted", nil), ("accepted", "2")])
  func aDeliveryWithoutItsPushIsUnfinished(state: String, apnsID: String?) throws {
    let outcome = Outcome([trace("Ada", state: state, apnsID: apnsID)], received: ["1": try push("Hello", "World")])

    #expect(outcome.pushes.isEmpty)
    #expect(!outcome.isComplete(events: 1))
  }

  @Test func aRejectedDeliveryIsAFailureWithItsReason() {
    let outcome = Outcome([trace("Ada", state: "rejected", deliveryReason: "Unregistered")], received: [:])

    #expect(outcome.failures == ["Ada: Unregistered"])
    #expect(outcome.isComplete(events: 1))
  }

  @Test func whoWasToldByOneOfTheEventsIsNotAmongTheUntold() {
    let outcome = Outcome(
      [
        trace("Ada", event: "1", reason: "duplicate"), trace("Ada", event: "2"),
        trace("Ben", event: "1", reason: "actor"), trace("Ben", event: "2", reason: "duplicate"),
      ], received: [:])

    #expect(outcome.notNotified == [Outcome.NotNotified(person: "Ben", reason: "actor")])
    #expect(outcome.eventIDs == ["1", "2"])
  }

  @Test func isIncompleteWhileAnEventIsMissing() {
    let outcome = Outcome([trace("Ben", reason: "actor")], received: [:])

    #expect(outcome.isComplete(events: 1))
    #expect(!outcome.isComplete(events: 2))
    #expect(!Outcome([], received: [:]).isComplete(events: 1))
  }

  @Test func theStoryFailsWithoutAPushOrWithoutAnybodyUntold() throws {
    let step = Step(title: "", actions: [], function: "vote-cast", subject: "s")
    let told = Outcome([trace("Ada", state: "accepted", apnsID: "1")], received: ["1": try push("Hello", "World")])
    let notNotified = Outcome([trace("Ben", reason: "actor")], received: [:])

    #expect(complaint([told, notNotified], step) == "vote-cast led to no push.")
    #expect(complaint([told], step) == "Everybody was told everything.")
    #expect(complaint([Outcome([], received: [:])], step)?.hasPrefix("vote-cast handled 0 of 1 events") == true)
    let both = Outcome(
      [trace("Ada", state: "accepted", apnsID: "1"), trace("Ben", reason: "actor")],
      received: ["1": try push("Hello", "World")])
    #expect(complaint([both], step) == nil)
  }

  private func complaint(_ outcomes: [Outcome], _ step: Step) -> String? {
    var verdict = Verdict()
    for outcome in outcomes { verdict.add(outcome, of: step) }
    return verdict.complaint
  }

  private func trace(
    _ person: String, event: String = "1", reason: String? = nil, state: String? = nil, apnsID: String? = nil,
    deliveryReason: String? = nil
  ) -> Trace {
    let delivery = state.map {
      Trace.Delivery(state: $0, token: "aa", apnsID: apnsID, reason: deliveryReason)
    }
    return Trace(eventID: event, person: person, kind: "new_vote", reason: reason, delivery: delivery)
  }

  private func push(_ title: String, _ body: String) throws -> RawJSON {
    let text =
      #"{"kind":"new_vote","token":"abcdefabcdef","payload":{"aps":{"alert":{"title":"\#(title)","body":"\#(body)"}}}}"#
    return try RawJSON(validating: Array(text.utf8)[...])
  }
}
