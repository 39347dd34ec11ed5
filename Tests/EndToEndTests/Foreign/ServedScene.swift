import Foundation
import FunctionKit
import HTTPClient
import Postgres
import TestSupport
import Testing

/// A foreign database that is served: what happens in its app, and what is asked of the API.
struct ServedScene {
  let scene: ForeignScene
  let served: Served
  let phones: Phones
  /// Ada's token.
  let token: String

  private var runner: RunningRunner { scene.runner }
  private var app: String { scene.database.app }

  func register(_ phone: String, app: String, _ token: String) async throws {
    let body = #"{"token":"\#(phone)","app":"\#(app)","platform":"iOS"}"#
    let answer = try await ask("/api/v1/devices/register", body, .post, token: token)
    #expect(answer.status == 201, "\(answer.text)")
  }

  private func ask(
    _ path: String, _ body: String = "", _ method: HTTPCall.Method = .get, token: String
  ) async throws -> (status: Int, json: RawJSON?, text: String) {
    let type = body.hasPrefix("List-") ? "application/x-www-form-urlencoded" : "application/json"
    let answer = try await served.request(
      path, body, method: method, headers: [("Authorization", "Bearer \(token)"), ("Content-Type", type)])
    return (answer.status, answer.json, answer.text)
  }

  // MARK: What happens

  /// Lets something happen, and looks at the phones.
  func play(_ act: ForeignAct) async throws {
    let before = try await phones.pushes().count
    let start: Date = try await runner.database.query("SELECT clock_timestamp() AS now").only().decode("now")
    if act.isQuiet { try await setQuietHours(true) }
    if !act.sql.isEmpty { try await scene.act(act.sql) }
    if let due = act.due {
      let answer = try await served.call(due, try House.text("Tests/Events/\(due).json"))
      #expect(answer.status == 200, "\(due): \(answer.text)")
    }
    try await runner.settle()
    let people = try await people()
    if act.isQuiet {
      let early = try await words(after: before).filter { people[$0.phone] == "Ada" }
      #expect(early.isEmpty, "\(act.functions): told in quiet hours")
      try await setQuietHours(false)
      try await runner.wait(until: "NOT EXISTS (SELECT FROM held_notifications)")
      try await runner.settle()
    }

    for function in act.functions { try await runner.wait(until: Self.hasRun(function, since: start), function) }

    #expect(
      Set(act.told.keys).union(act.badges.keys).isSubset(of: people.values), "\(act.functions): who has no phone")
    let expected = people.filter { act.told[$0.value] != nil }.keys.sorted()
    let got = try await words(after: before)
    #expect(got.map(\.phone).sorted() == expected, "\(act.functions): whose phones ring, each once: \(got)")
    for (phone, said) in got {
      let words = act.told[people[phone] ?? ""] ?? "nothing"
      #expect(said.hasPrefix(words), "\(act.functions)")
    }
    let badges = try await badges()
    for (phone, person) in people {
      guard let number = act.badges[person] else { continue }
      #expect(badges[phone] == number, "\(act.functions): the badge of \(person)'s phone \(phone.prefix(4))")
    }
  }

  /// Whether a function has run, and to good effect.
  ///
  /// A run that a notification of the database starts is no event, and is in no history.
  private static func hasRun(_ function: String, since start: Date) -> SQL {
    switch function {
    case "push-delivery": "EXISTS (SELECT FROM deliveries WHERE accepted_at >= \(start))"
    case "release-held":
      "EXISTS (SELECT FROM notification_rechecks WHERE decision = 'notify' AND created_at >= \(start))"
    default:
      "EXISTS (SELECT FROM runner.history WHERE function = \(function) AND code = 'OK' AND recorded_at >= \(start))"
    }
  }

  private func setQuietHours(_ isOn: Bool) async throws {
    let (start, end) = (Date() - 7200, Date() + 7200)
    let body = """
      {"quietHours":{"enabled":\(isOn),"start":"\(clock(start))","end":"\(clock(end))","timezone":"UTC"}}
      """
    let answer = try await ask("/api/v1/auth/notifications?app=\(app)", body, .patch, token: token)
    #expect(answer.status == 200, "quiet hours: \(answer.text)")
  }

  private func clock(_ date: Date) -> String { String(date.formatted(.iso8601).dropFirst(11).prefix(5)) }

  /// The names of people by their phones that have the app.
  private func people() async throws -> [String: String] {
    let rows = try await runner.database.query(
      """
      SELECT token, right(user_id::text, 1) AS person FROM device_tokens
      WHERE is_active IS NOT FALSE AND app = \(app)
      """)
    return try rows.reduce(into: [:]) {
      $0[try $1.decode("token", as: String.self)] = ForeignAct.people[try $1.decode("person")]
    }
  }

  private func words(after count: Int) async throws -> [(phone: String, said: String)] {
    try await phones.pushes().dropFirst(count).compactMap { push in
      guard let alert = push["payload"]?["aps"]?["alert"] else { return nil }
      return (
        push["token"]?.stringValue ?? "", "\(alert["title"]?.stringValue ?? ""): \(alert["body"]?.stringValue ?? "")"
      )
    }
  }

  /// The number that each phone got last.
  private func badges() async throws -> [String: Int] {
    try await phones.pushes().reduce(into: [:]) { badges, push in
      guard let number = push["payload"]?["aps"]?["badge"]?.intValue else { return }
      badges[push["token"]?.stringValue ?? ""] = number
    }
  }

  // MARK: What is asked

  /// Makes all calls of the API.
  func call(_ calls: [ForeignCall]) async throws {
    let entry = try await entry()
    let link = try await unsubscribePath()
    var device = ""
    for call in calls {
      func filled(_ text: String) -> String {
        text.replacing("{app}", with: app).replacing("{phone}", with: String(repeating: "9c", count: 32))
          .replacing("{device}", with: device).replacing("{entry}", with: entry)
          .replacing("{switch}", with: unsubscribed.name)
      }
      let words = call.route.split(separator: " ").map(String.init)
      let method = try #require(HTTPCall.Method(rawValue: words[0]))
      let place = filled(call.place)
      let path =
        call.place == "{link}"
        ? link : place.hasPrefix("?") ? words[1] + place : words[1].replacing(/{\w+}/, with: place)

      let answer = try await ask(path, filled(call.body), method, token: token)

      let status = call.status(on: scene.database)
      #expect(answer.status == status, "\(call.route) \(call.place): \(answer.text)")
      if status == 201, device.isEmpty { device = answer.json?["id"]?.stringValue ?? "" }
      // The gateway has other words for a path that is no route.
      if let said = status < 400 ? call.says : call.reason ?? #""reason":"Not Found""# {
        #expect(answer.text.contains(filled(said)), "\(call.route) \(call.place): \(answer.text)")
      }
      if status < 400, let proof = call.proof {
        let effect = try await scene.text(SQL(unescaped: "SELECT \(filled(proof))"))
        #expect(effect == ["true"], "\(call.route): its effect")
      }
    }
    try await runner.settle()
    guard let unread = try await unread() else { return }
    #expect(unread.api == 0 && unread.own == 0, "Ada has read all")
  }

  /// Calls the functions that nothing on this database has run, by their names.
  func call(_ samples: [ForeignSample]) async throws {
    let manifest = try RawJSON(validating: Array(House.text("functions.json").utf8)[...])
    let entry = try await entry()
    for sample in samples {
      let file = manifest["functions"]?[sample.function]?["sample"]?.stringValue ?? ""
      let body = try sample.body?.replacing("{entry}", with: entry) ?? House.text(file)
      let answer = try await served.call(sample.function, body)
      #expect(answer.status == 200 && answer.text.contains(sample.says), "\(sample.function): \(answer.text)")
    }
    try await runner.settle()
  }

  /// An entry of Ada's inbox, one that offers something if there is one.
  private func entry() async throws -> String {
    try await scene.text(
      """
      (SELECT id::text FROM notifications
       WHERE user_id = 'a0000000-0000-4000-8000-000000000001' AND app = \(app) AND title <> ''
       ORDER BY type::text = 'friend_request' DESC, created_at DESC LIMIT 1)
      """
    ).first ?? ""
  }

  /// The kind that Ada's mail is about, and its switch in the API.
  private var unsubscribed: (kind: String, name: String) {
    switch app {
    case "mugshot": ("like", "like")
    case "repairminder": ("order_created", "orderCreated")
    case "lockitin": ("friend_request", "friendRequests")
    default: ("new_comment", "pushNotifyNewComments")
    }
  }

  /// The path of a link of a mail to Ada.
  private func unsubscribePath() async throws -> String {
    let outcome = try await runner.run(
      [
        "unsubscribe-link", "--user", "ada@example.com", "--app", app, "--kind", unsubscribed.kind, "--base-url",
        served.url,
      ])
    #expect(outcome.exit == 0, "runner unsubscribe-link: \(outcome.stderr)")
    return String(outcome.stdout.prefix { $0 != "\n" }.dropFirst(served.url.count))
  }

  /// The number of unread entries in the API, and the ones in the app's own columns.
  func unread() async throws -> (api: Int?, own: Int, blank: Int)? {
    guard let isUnread = scene.database.isUnread else { return nil }
    let answer = try await ask("/api/v1/notifications/unread-count?app=\(app)", token: token)
    let row = try await runner.database.query(
      """
      SELECT count(*) FILTER (WHERE title <> '') AS own, count(*) FILTER (WHERE coalesce(title, '') = '') AS blank
      FROM notifications WHERE user_id = 'a0000000-0000-4000-8000-000000000001' AND \(unescaped: isUnread)
      """
    ).only()
    return (answer.json?["unread"]?.intValue, try row.decode("own"), try row.decode("blank"))
  }

  // MARK: What is left

  /// Nothing failed, and `runner doctor` finds nothing.
  func expectHealth() async throws {
    let dead = try await scene.text("SELECT concat_ws(' ', function, code, error) FROM runner.dead_letters")
    #expect(dead == [])
    let doctor = try await runner.run(["doctor"])
    let findings = doctor.stdout.split(separator: "\n").filter { !$0.hasPrefix("ok ") }
    #expect(doctor.exit == 0, "runner doctor:\n\(findings.joined(separator: "\n"))")
    // What a lacking column costs is said, and is no fault.
    let costs = ForeignCall.all.contains { $0.status(on: scene.database) == 501 }
    #expect(findings.contains { $0.contains("501") } == costs)
    let errors = served.program.lines.filter { $0.contains("42501") || $0.contains(#""level":"error""#) }
    #expect(errors == [])
  }
}
