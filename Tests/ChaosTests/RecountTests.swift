import Foundation
import Postgres
import TestSupport
import Testing

@testable import Chaos

/// The recount finds what is wrong, and nothing where all is right.
@Suite(.heavy)
struct RecountTests {
  /// A wrong that was put in, and the figure that has to show it.
  struct Wrong: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let figure: Figure
    let change: @Sendable (inout CountedScene.Inputs) -> Void

    init(_ name: String, _ figure: Figure, _ change: @escaping @Sendable (inout CountedScene.Inputs) -> Void) {
      (testDescription, self.figure, self.change) = (name, figure, change)
    }

    static let all = [
      Wrong("a function did not hear of a row", .lost) { $0.effects.removeLast() },
      Wrong("a device did not get a push", .lost) { $0.pushes.removeLast() },
      Wrong("a function heard of a row as two events", .twice) { inputs in
        var effect = inputs.effects[0]
        effect.event = "9.99"
        inputs.effects.append(effect)
      },
      Wrong("a push stands beside itself", .twice) { inputs in
        var push = inputs.pushes[0]
        (push.seq, push.collapse) = (90, "another")
        inputs.pushes.append(push)
      },
      Wrong("two notifications tell of one vote", .twice) { inputs in
        guard var push = inputs.pushes.first(where: { $0.kind == "new_vote" }) else { return }
        (push.seq, push.notification) = (90, UUID())
        inputs.pushes.append(push)
      },
      Wrong("a function heard of a row before one of its key that had committed", .misplaced) { $0.effects[4].at -= 1 },
      Wrong("a function heard of what was rolled back", .untrue) { inputs in
        inputs.effects.append(.init(function: "pass", event: "9.98", number: 999, at: 0))
      },
      Wrong("a device shows what was rolled back", .untrue) { inputs in
        var push = inputs.pushes[0]
        (push.seq, push.notification) = (90, UUID())
        inputs.pushes.append(push)
      },
      Wrong("a function heard of a row late", .overdue) { $0.effects[0].at += 10.5 },
      Wrong("a fault that had ended does not excuse it", .overdue) { inputs in
        inputs.faults = [Outage(kind: .serverStopped, began: inputs.now - 1, ended: inputs.now)]
        inputs.effects[0].at += 10.5
      },
      Wrong("a fault of a target excuses no other function", .overdue) { inputs in
        inputs.faults = [Outage(kind: .targetReturns, began: inputs.now, ended: inputs.now + 60)]
        inputs.effects[0].at += 69
      },
      Wrong("a pause of another key does not excuse it", .overdue) { inputs in
        (inputs.effects[3].attempt, inputs.effects[3].at) = (1, inputs.now + 1)
        inputs.effects[4].at += 10.5
      },
      Wrong("a badge is not the number of unread entries", .badges) { inputs in
        inputs.pushes.append(
          .init(seq: 90, token: inputs.pushes[0].token, collapse: "badge", notification: nil, badge: 7))
      },
    ]
  }

  @Test func findsNothingWhereAllIsRight() async throws {
    let scene = try await CountedScene.shared.value

    let recount = try await scene.recount { _ in }

    #expect(recount.wrongs.isEmpty)
    #expect(recount.counts.events == 11)
    #expect(recount.counts.deliveries == 4)
    #expect(recount.counts.devices == 4)
  }

  @Test(arguments: Wrong.all) func findsWhatIsWrong(_ wrong: Wrong) async throws {
    let scene = try await CountedScene.shared.value

    let recount = try await scene.recount(wrong.change)

    #expect(recount.wrongs[wrong.figure]?.count == 1, "\(recount.wrongs)")
  }

  @Test func anAttemptIsNotForATargetThatWasNotReached() async throws {
    let scene = try await CountedScene()
    try await scene.change(
      """
      INSERT INTO runner.history (ended_at, partition, id, function, kind, at, attempt, code, duration_us, error)
      SELECT now(), 1, n, 'remote', 'queue', now(), 1, (ARRAY['TARGET_AWAY', 'TARGET_LOST'])[n], 1, 'Gone.'
      FROM generate_series(1, 2) AS n
      """)

    let recount = try await scene.recount { _ in }

    #expect(recount.wrongs.keys.sorted { $0.rawValue < $1.rawValue } == [.charged])
    #expect(recount.wrongs[.charged]?.count == 1)
  }

  @Test(arguments: [10_800, 90_000, -7_200]) func aTimeOfAWrongClockIsReadAsTheRightOne(_ ahead: Int) async throws {
    let scene = try await CountedScene.shared.value
    func recount(at delay: Double) async throws -> Recount {
      try await scene.recount { inputs in
        // Everything was committed while the clock was wrong: in truth that many seconds sooner.
        let right = inputs.now - Double(ahead)
        inputs.faults = [Outage(kind: .clockJumps, began: right - 30, ended: right + 5, ahead: ahead)]
        for index in inputs.effects.indices { inputs.effects[index].at = right + delay }
      }
    }

    #expect(try await recount(at: 14).wrongs.isEmpty)
    #expect(try await recount(at: 16).wrongs[.overdue]?.count == 9)
  }

  @Test func whoStandsBehindAFailedEventMayBeLaterByItsPause() async throws {
    let scene = try await CountedScene.shared.value

    let recount = try await scene.recount { inputs in
      (inputs.effects[1].attempt, inputs.effects[1].at) = (1, inputs.now + 0.9)
      // Between its commit and the scene's instant lies a moment, too.
      inputs.effects[4].at += 10.2
    }

    #expect(recount.wrongs.isEmpty)
  }

  @Test func whatMayBeLateOrComeAgainIsNotWrong() async throws {
    let scene = try await CountedScene.shared.value

    let recount = try await scene.recount { inputs in
      // While the server was away, after two failed attempts, once more under its id, and sent again in its place.
      inputs.faults = [
        Outage(kind: .serverStopped, began: inputs.now, ended: inputs.now + 60),
        Outage(kind: .targetReturns, began: inputs.now, ended: inputs.now + 90),
      ]
      inputs.effects[0].at += 69
      inputs.effects[6].at += 99
      inputs.effects[2].attempt = 2
      inputs.effects[2].at += 60 + 14
      inputs.effects.append(inputs.effects[0])
      var push = inputs.pushes[0]
      push.seq = 90
      inputs.pushes.append(push)
    }

    #expect(recount.wrongs.isEmpty)
    #expect(recount.counts.repeats == 1)
    #expect(recount.counts.sentAgain == 1)
  }
}
