import FoundationEssentials
import FunctionKit
import World

/// The words of a push, and what its payload and the world know of what they say.
struct ToldPush {
  let title: String
  let body: String
  let kind: String
  let app: String
  let user: String
  let subject: String
  let values: RawJSON
  let world: World
  let feedback: World.Feedback?
  let proposal: World.Proposal?

  /// The moment that its words tell of by a clock on a wall.
  var moment: String? { text("event_time") ?? text("time_option_start") }

  /// Whether it says in a language what its kind says, in a whole title and a whole body.
  /// - Parameters:
  ///   - wall: the moment that it tells of, by the person's clocks.
  ///   - earlier: what the person has been told in until now: a summary's titles, and rows of an app that are told as one,
  ///     can still be in it.
  func isSaid(in language: ToldLanguage, at wall: Int?, _ earlier: [ToldLanguage]) -> Bool {
    if kind == "quiet_summary" { return isSummary(in: language, of: earlier) }
    return switch app {
    case "feedbackkit": feedback.map { isSaid(of: $0, in: language) } ?? false
    case "lockitin": isOfLockItIn(in: language, at: wall)
    default: earlier.contains { isOfARow(in: $0) }
    }
  }

  func text(_ key: String) -> String? { values[key]?.stringValue }
  /// Some apps write their numbers as texts.
  func number(_ key: String) -> Int? { values[key]?.intValue ?? text(key).flatMap { Int($0) } }

  // MARK: - FeedbackKit

  private func isSaid(of feedback: World.Feedback, in language: ToldLanguage) -> Bool {
    let (name, project) = (language.value(feedback.title), language.value(world.projectName(of: feedback)))
    let single = { (part: String, facts: [String: ToldLanguage.Fact], count: Int?) in
      language.says(title, "feedbackkit.\(kind).title")
        && language.says(body, "feedbackkit.\(kind).\(part)", facts, of: count)
    }
    let several = { (family: String, subject: ToldLanguage.Fact) in
      language.says(title, "several.\(family).title")
        && language.count(body, "several.\(family).body_named", ["subject": subject], from: 2) != nil
    }
    switch kind {
    case "new_feedback":
      return language.says(title, "feedbackkit.new_feedback.title") && body == feedback.title
        || several("new_feedback", project)
    case "new_comment": return single("body", ["feedback": name], nil) || several("comments", name)
    case "new_vote": return single("body", ["feedback": name], number("voteCount")) || several("votes", name)
    case "status_change":
      let status = text("newStatus") ?? ""
      let facts = [
        "feedback": name,
        "status": language.text("feedbackkit.status.\(status)").map { .one(of: [$0]) }
          ?? language.value(status.capitalizedFirst),
      ]
      return single("body", facts, nil) || single("body_voter", facts, nil)
        || language.says(title, "feedbackkit.status_change.title")
          && language.count(body, "several.statuses.body_named", ["subject": project], from: 2) != nil
    default: return false
    }
  }

  // MARK: - The apps with words of their own

  /// A row's own words, or those of several rows.
  private func isOfARow(in language: ToldLanguage) -> Bool {
    let isOwnTitle = (0..<3).contains { title == "Title \($0)" }
    if isOwnTitle, body == "Body" { return true }
    switch kind {
    case "like", "comment":
      let people = world.people.map(\.name)
      return language.count(title, "several.\(kind == "like" ? "likes" : "visit_comments").title", from: 2) != nil
        && language.lists(body, people, after: " • \(language.isolated("Kaffa"))")
    case "smart_notification":
      return isOwnTitle
        && language.count(body, "several.messages.body", ["message": language.value("Body")], from: 2) != nil
    default: return false
    }
  }

  // MARK: - Summaries

  /// Up to three titles with how often each was there, and how many more there were: as many as the title counts.
  private func isSummary(in language: ToldLanguage, of earlier: [ToldLanguage]) -> Bool {
    let isATitle = { (text: String) in
      (0..<3).contains { text == "Title \($0)" }
        || earlier.contains { language in
          ["\(app).", "several."].contains { language.saysAny(text, beginning: $0, holding: ".title") }
            || language.saysAny(text, beginning: "hidden.", holding: "hidden.")
        }
    }
    let body = String(String.UnicodeScalarView(body.unicodeScalars.filter { !(0x2066...0x2069).contains($0.value) }))
    guard let count = language.count(title, "summary.title") else {
      // One that has a single part left says what that says.
      return isATitle(title) && !body.isEmpty
    }
    var (parts, told) = (body.split(separator: " • ").map(String.init), 0)
    if let more = parts.last.flatMap({ language.count($0, "summary.more") }) {
      parts.removeLast()
      told = more
    }
    for part in parts {
      guard let open = part.lastIndex(of: "("), part.hasSuffix(")"),
        let times = Int(part[open...].dropFirst().dropLast())
      else {
        guard isATitle(part) else { return false }
        told += 1
        continue
      }
      guard isATitle(String(part[..<open].dropLast())) else { return false }
      told += times
    }
    return told == count && (1...3).contains(parts.count)
  }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
