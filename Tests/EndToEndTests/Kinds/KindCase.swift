import Postgres

/// One kind of notification: an event in its app, and every push that follows.
///
/// Ids are those of the payload files.
struct KindCase: Sendable {
  let app: String
  let kind: String
  /// The people whose phones have the app, by the last digit of their ids.
  let people: [Int: String]
  /// The rows that are there before, which make no event.
  var before = ""
  /// The act of the app; `{tick}` is a minute that comes soon.
  var act = ""
  /// A function that the app's back-end calls, and with what.
  var call: Call?
  /// The pushes, by whom they reach; a badge alone, which follows what somebody has done, is not one of them.
  let pushes: [Int: Push]
  /// `apns-priority`.
  var priority = 10
  /// When the push becomes pointless, as SQL about its row `n` of `notifications`.
  var expiry: SQL = "n.pushed_at + interval '1 day'"

  /// The content of a push.
  struct Push: Sendable {
    /// The person whose words it has, where a kind has several: the second part of the file's name.
    var variant: String?
    let badge: Int
  }

  /// A call over HTTP.
  struct Call: Sendable {
    let function: String
    let body: String
  }

  var name: String { "\(app) \(kind)" }

  var files: Set<String> { Set(pushes.values.map(file)) }

  func file(of push: Push) -> String {
    "\(app)/\(([kind] + [push.variant].compactMap(\.self)).joined(separator: ".")).json"
  }

  static let all = feedbackKit + proposals + events + repairMinder + mugshot + messageAI
}

extension KindCase {
  /// A kind that the app tells the person 1 by a row of its own.
  static func entry(_ app: String, _ kind: String, priority: Int = 10, _ columns: [String: String]) -> KindCase {
    let values = columns.sorted { $0.key < $1.key }
    return KindCase(
      app: app, kind: kind, people: [1: "Ada", 2: "Ben"],
      act: """
        INSERT INTO notifications (id, user_id, app, type, \(values.map(\.key).joined(separator: ", ")))
        VALUES ('e1000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000001', '\(app)', '\(kind)',
          \(values.map { "'\($0.value)'" }.joined(separator: ", ")))
        """,
      pushes: [1: Push(badge: 1)], priority: priority)
  }
}
