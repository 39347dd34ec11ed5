import Documents
import FoundationEssentials
import Testing

@testable import Inspection
@testable import Manifest
@testable import Metrics

/// From facts to sentences.
struct WhyReportTests {
  private static let now = Date(timeIntervalSince1970: 1_785_600_000)

  private func facts(
    _ state: EventSummary.State? = .waiting, _ change: (inout WhyFacts) -> Void = { _ in }
  ) -> WhyFacts {
    var facts = WhyFacts(id: EventID("3.28"), now: Self.now)
    facts.event = state.map {
      EventSummary(
        id: "3.28", at: Self.now, function: "note", kind: "INSERT public.items", key: "k", state: $0, attempts: 2,
        crashes: 0, code: "UNAVAILABLE", error: "busy\nmore", runAt: Self.now + 200, endedAt: Self.now - 60,
        partition: 3,
        number: 28)
    }
    facts.entry = FunctionEntry(name: "note", key: "k", concurrency: 2, attempts: 8)
    facts.serving = serving()
    change(&facts)
    return facts
  }

  private func serving(
    paused: EventReport.Pause? = nil, running: Int = 0, events: [String]? = nil, suspects: [String] = []
  ) -> RunnerReport {
    RunnerReport(
      isIdle: false, partitions: [3], overtaken: 0, suspects: suspects,
      functions: [
        .init(name: "note", paused: paused, processes: 2, running: running, waiting: 7, events: events ?? [])
      ])
  }

  @Test func anEventWithNothingInItsWayIsAboutToStart() {
    let report = WhyReport(facts())

    #expect(report.reason == .ready)
    #expect(report.sentences == ["Nothing holds it up: it is about to start, or has started."])
  }

  @Test func aRunnerThatSeemsToHavePassedItByLooksAgain() throws {
    let event = try #require(facts().event)
    let report = WhyReport(facts { $0.serving = serving(suspects: [event.id]) })

    #expect(report.reason == .overtaken)
    #expect(
      report.sentences == [
        "The runner seems to have passed it by. It looks again within seconds, and then runs it and says so."
      ])
  }

  @Test func aRetryIsDueThen() {
    let report = WhyReport(facts(.retrying))

    #expect(report.reason == .retryDue)
    #expect(
      report.sentences == [
        "Its retry is due at 2026-08-01 16:03:20Z (in 3 min 20 s); it failed 2 times, last with UNAVAILABLE: busy"
      ])
  }

  @Test func aRetryThatIsOverdueIsJudgedLikeANewEvent() {
    let report = WhyReport(facts(.retrying) { $0.event?.runAt = Self.now - 1 })

    #expect(report.reason == .ready)
  }

  @Test func anEventOfABrokenBatchWaitsToRunAlone() throws {
    let report = WhyReport(facts { $0.serving?.functions[0].interrupted = ["3.28"] })

    #expect(report.reason == .interrupted)
    #expect(
      report.sentences.first?.hasPrefix("The process that had it in a batch ended before it had answered.") == true)
  }

  @Test func aRunningEventIsSaidToRun() {
    #expect(WhyReport(facts { $0.serving = serving(events: ["3.28"]) }).reason == .running)
  }

  @Test(arguments: [
    (8, 0, "WORKER_ERROR", "because it used up 8 attempts."),
    (1, 0, "INVALID_EVENT", "because trying again cannot help."),
    (3, 3, "WORKER_CRASH", "because its process crashed 3 times."),
    (5, 0, "UNAVAILABLE", "because it had become too old to be tried again, after 5 attempts."),
    (0, 0, "TOO_LARGE", "because the change is larger than an event may be."),
  ])
  func aDeadLetterHasItsReason(_ attempts: Int, _ crashes: Int, _ code: String, _ cause: String) {
    let report = WhyReport(
      facts(.dead) {
        $0.event?.attempts = attempts
        $0.event?.crashes = crashes
        $0.event?.code = code
      })

    #expect(report.reason == .dead)
    #expect(report.sentences[0] == "It has been a dead letter since 2026-08-01 15:59:00Z, \(cause)")
    #expect(report.sentences[1] == "\(code): busy")
    let isRefused = code == "INVALID_EVENT"
    #expect(report.sentences[2].contains("runner events retry 3.28 tries it again") == !isRefused)
    #expect(report.sentences[2].contains("runner resend 3.28 --event FILE sends it corrected") == isRefused)
    #expect(report.sentences[2].hasSuffix("; runner events purge 3.28 deletes it."))
  }

  @Test func aBlockedKeyNamesWhatBlocksIt() {
    var blocker = facts(.dead).event
    blocker?.id = "3.12"
    let dead = WhyReport(facts { $0.blocker = blocker })
    blocker?.state = .retrying
    let retrying = WhyReport(facts { $0.blocker = blocker })

    #expect(dead.reason == .blocked)
    #expect(dead.sentences[0].hasPrefix(#"Its key "k" is blocked by the dead letter 3.12 (UNAVAILABLE)"#))
    #expect(dead.sentences[0].hasSuffix("runner events retry 3.12"))
    #expect(retrying.sentences[0].hasSuffix("which failed with UNAVAILABLE and is tried again in 3 min 20 s."))
  }

  @Test func aPausedFunctionSaysHowItIsMended() {
    let pause = EventReport.Pause(code: "CONFIG_ERROR", message: "The environment variable KEY is missing.")
    let report = WhyReport(facts { $0.serving = serving(paused: pause) })

    #expect(report.reason == .paused)
    #expect(report.sentences[0].hasPrefix("note is paused (CONFIG_ERROR: The environment variable KEY is missing.)."))
    #expect(report.sentences[0].hasSuffix("runner resume note"))
  }

  @Test func aFunctionAtItsLimitSaysSo() {
    let report = WhyReport(facts { $0.serving = serving(running: 2) })

    #expect(report.reason == .atLimit)
    #expect(report.sentences == ["note is at its limit: 2 run and 7 wait."])
  }

  @Test func aPartitionOfAnotherRunnerCannotBeSeenInto() {
    let report = WhyReport(
      facts {
        $0.serving?.partitions = [1]
        $0.lease.holder = "web-2"
      })

    #expect(report.reason == .otherRunner)
    #expect(report.sentences[0].hasPrefix("Its partition 3 is held by the runner web-2:"))
  }

  @Test func aPartitionThatNobodyHoldsIsTakenOverSoon() {
    #expect(WhyReport(facts { $0.lease.isHeld = false }).reason == .partitionFree)
  }

  @Test func whatWeighsMostComesFirst() {
    let report = WhyReport(
      facts {
        $0.entry = nil
        $0.lease = WhyFacts.Lease(isAnyHeld: false, isHeld: false)
        $0.ahead = WhyFacts.Ahead(count: 1, first: "3.27")
      })

    #expect(report.reason == .unknownFunction)
    #expect(
      report.sentences == [
        "functions.json has no function note: nobody takes its events.",
        "No runner is up: start one with runner serve.",
        "1 event of its key stands in front of it; the first is 3.27.",
      ])
  }

  @Test func anOpenTransactionIsNamedWhereNothingElseExplains() {
    let open = OpenTransaction(
      process: 1234, application: "psql", user: "app", age: 200, state: "idle in transaction", partitions: [3])
    var other = open
    other.partitions = [4]
    let (unseen, ready) = (
      WhyReport(
        facts(nil) {
          $0.isDrawn = true
          $0.transactions = [open]
        }), WhyReport(facts { $0.transactions = [open] })
    )

    #expect(unseen.reason == .uncommitted)
    #expect(
      unseen.sentences[1] == "The connection 1234 (psql, user app), open for 3 min 20 s, idle in transaction, "
        + "has written events that it has not committed.")
    #expect(ready.sentences[1].contains("holds a snapshot"))
    #expect(
      WhyReport(
        facts(nil) {
          $0.isDrawn = true
          $0.transactions = [other]
        }
      ).reason == .unknown)
    #expect(WhyReport(facts(nil) { $0.isDrawn = true }).reason == .unknown)
    #expect(WhyReport(facts(nil) { $0.isDrawn = false }).reason == .notDrawn)
  }
}
