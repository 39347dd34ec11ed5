import Foundation
import TestSupport
import Testing

/// `make kind`, on a copy of what it changes.
@Suite(.heavy)
struct NewKindTests {
  private static let copy = #"""
    mkdir -p Functions Shared/PushPayload Shared/Notifications Tests/FunctionTests/Payloads Tests/EndToEndTests &&
    cp "$1/Functions/new-kind" "$1/Functions/README.md" Functions && cp -r "$1/Tests/EndToEndTests/Kinds" Tests/EndToEndTests &&
    cp -r "$1/Shared/PushPayload/Content" Shared/PushPayload && cp -r "$1/Tests/FunctionTests/Payloads" Tests/FunctionTests &&
    cp -r "$1/Shared/Notifications/Apps" "$1/Shared/Notifications/LockItIn" Shared/Notifications && cp -r . ../before
    """#

  private func run(_ script: String, in folder: TemporaryDirectory) async throws -> BuiltExecutables.Outcome {
    let (work, root) = ("\(folder.path)/after", House.root.path)
    return try await BuiltExecutables.run(
      "/bin/bash", ["-c", "mkdir -p '\(work)' && cd '\(work)' && { \(script)\n} 2>&1", "bash", root])
  }

  /// How many files an app's kind touches, and a line of each.
  @Test(
    arguments: [
      (
        "repairminder", "device_lost",
        [
          ("Shared/PushPayload/Content/RepairMinderPush.swift", "    case .deviceLost: .device(entity)\n    case nil"),
          ("Shared/Notifications/Apps/RepairMinder.swift", "      case .deviceLost: (.normal, nil)\n"),
          ("Functions/README.md", "\n| `device_lost` | *the row* | – | normal |\n"),
        ]
      ),
      (
        "mugshot", "friend_moved",
        [
          ("Shared/PushPayload/Content/MugshotPush.swift", "    case friendMoved = \"friend_moved\"\n"),
          ("Shared/Notifications/Apps/Mugshot.swift", "      case .friendMoved: (.normal, nil)\n"),
          ("Functions/README.md", "\n| `friend_moved` | `friend_profile` | `friend_user_id` | normal | – |\n"),
        ]
      ),
      (
        "lockitin", "bring_something",
        [
          ("Shared/PushPayload/Content/LockItInPush.swift", "  case bringSomething(event: UUID, title: String?)\n"),
          ("Shared/Notifications/LockItIn/Events.swift", "    BringSomething.self,\n  ]"),
          ("Functions/README.md", "\n| `bring_something` | `event-reminder`: attendees |"),
          ("Tests/FunctionTests/Payloads/lockitin/bring_something.json", "\"type\": \"bring_something\""),
          ("Tests/EndToEndTests/Kinds/KindCase+Events.swift", "kind: \"bring_something\""),
        ]
      ),
    ] as [(String, String, [(String, String)])])
  func aKindIsInEachOfItsPlaces(app: String, name: String, places: [(String, String)]) async throws {
    let folder = try TemporaryDirectory()
    _ = try await run(Self.copy, in: folder)

    let made = try await run("Functions/new-kind \(app) \(name)", in: folder)
    let again = try await run("Functions/new-kind \(app) \(name)", in: folder)
    let touched = try await run("diff -rq ../before . | wc -l", in: folder)

    #expect(made.exit == 0, "\(made.stdout)")
    #expect(again.exit == 73)
    #expect(touched.stdout.trimmingCharacters(in: .whitespacesAndNewlines) == "\(places.count)")
    for (path, line) in places {
      let text = try String(contentsOfFile: "\(folder.path)/after/\(path)", encoding: .utf8)
      #expect(text.contains(line), "\(path)")
    }
  }

  @Test func whatIsNoAppOrNameIsRefused() async throws {
    let folder = try TemporaryDirectory()
    _ = try await run(Self.copy, in: folder)

    for words in ["", "feedbackkit order_lost", "repairminder OrderLost"] {
      let outcome = try await run("Functions/new-kind \(words)", in: folder)
      #expect(outcome.exit == 64 && outcome.stdout.contains("usage: make kind"), "\(words)")
    }
  }
}
