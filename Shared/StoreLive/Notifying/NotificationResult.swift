import Formats
import FoundationEssentials
package import FunctionKit
import Notifications

/// A function's result: who was notified, who was not, and why.
package struct NotificationResult: Decodable, Sendable, Equatable {
  /// The most decisions and payloads in the lists; the counts cover all.
  package static let listLimit = 1_000

  /// The function's name.
  package let function: String
  /// The event's id.
  package let event: String
  /// The number of people who are notified.
  package internal(set) var notified = 0
  /// The number of deliveries to their devices.
  package internal(set) var deliveries = 0
  /// The decisions, in the order of the people's ids.
  package internal(set) var decisions: [PersonDecision] = []
  /// The number of people for each reason.
  package internal(set) var counts: [String: Int] = [:]
  /// Why there were no candidates.
  package internal(set) var reason: String?
  /// `true` in a dry run, else `nil`.
  package internal(set) var dryRun: Bool?
  /// In a dry run: whether the event was applied already.
  package internal(set) var alreadyApplied: Bool?

  /// In a dry run: the payload for each person who would be notified, as an object of `user` and `payload`.
  package internal(set) var payloads: [RawJSON] = []

  /// In a dry run: the facts of each candidate for the gates.
  package internal(set) var candidates: [Rehearsed] = []

  /// A decision about one person.
  package struct PersonDecision: Decodable, Sendable, Equatable {
    /// The person's id.
    package let user: String
    /// `notify`, `hold` or `suppress`.
    package let decision: String
    /// Why they were a candidate, or why they are not notified, or not yet.
    package let reason: String
  }

  private enum CodingKeys: String, CodingKey {
    case function, event, notified, deliveries, decisions, counts, reason, dryRun, alreadyApplied
  }

  init(of event: EventContext, reason: String? = nil) {
    function = event.function
    self.event = event.id
    self.reason = reason
    dryRun = event.dryRun ? true : nil
  }

  /// The result of an event without a notice; it does not ask the database.
  package static func nothing(_ event: EventContext, because reason: String) -> NotificationResult {
    NotificationResult(of: event, reason: reason)
  }

  /// The number of candidates.
  var considered: Int { counts.values.reduce(0, +) }

  mutating func add(_ candidate: Candidate, _ decision: Decision) {
    let (word, reason) = (decision.word, decision.obstacle ?? candidate.reason.rawValue)
    if decision == .notify { notified += 1 }
    counts[reason, default: 0] += 1
    guard decisions.count < Self.listLimit else { return }
    decisions.append(PersonDecision(user: candidate.user.lowercased, decision: word, reason: reason))
  }

  /// The sum with the result of another part of the same event, for other people.
  func adding(_ part: NotificationResult) -> NotificationResult {
    var result = self
    result.notified += part.notified
    result.deliveries += part.deliveries
    result.decisions = Array((decisions + part.decisions).sorted { $0.user < $1.user }.prefix(Self.listLimit))
    result.counts.merge(part.counts, uniquingKeysWith: +)
    result.payloads = Array((payloads + part.payloads).prefix(Self.listLimit))
    result.candidates = Array((candidates + part.candidates).prefix(Self.listLimit))
    return result
  }

  /// The result of a function that sends several kinds for one event, each in its own transaction.
  package static func total(_ parts: [NotificationResult], of event: EventContext) -> NotificationResult {
    var total = NotificationResult(of: event)
    total.notified = parts.reduce(0) { $0 + $1.notified }
    total.deliveries = parts.reduce(0) { $0 + $1.deliveries }
    total.decisions = Array(parts.flatMap(\.decisions).prefix(listLimit))
    total.counts = parts.reduce(into: [:]) { $0.merge($1.counts, uniquingKeysWith: +) }
    total.payloads = Array(parts.flatMap(\.payloads).prefix(listLimit))
    if event.dryRun { total.alreadyApplied = parts.allSatisfy { $0.alreadyApplied == true } }
    return total
  }

  /// The recorded form, without the members of a dry run.
  var document: RawJSON {
    let (head, tail) = documentAroundDeliveries
    var bytes = head
    bytes += String(deliveries).utf8
    bytes += tail
    return RawJSON(trusting: bytes)
  }

  /// The recorded form up to the number of deliveries, and what follows the number.
  ///
  /// It does not use JSONEncoder, which takes several times as long: every event writes it twice.
  var documentAroundDeliveries: (head: [UInt8], tail: [UInt8]) {
    let counts = counts.sorted { $0.key < $1.key }.map { ($0.key, RawJSON($0.value)) }
    let before: [(String, RawJSON?)] = [
      ("alreadyApplied", alreadyApplied.map { RawJSON($0) }), ("counts", RawJSON(object: counts)),
      ("decisions", RawJSON(array: decisions.map(\.document))),
    ]
    let after: [(String, RawJSON?)] = [
      ("dryRun", dryRun.map { RawJSON($0) }), ("event", RawJSON(event)), ("function", RawJSON(function)),
      ("notified", RawJSON(notified)), ("reason", reason.map { RawJSON($0) }),
    ]
    func object(_ members: [(String, RawJSON?)]) -> ArraySlice<UInt8> {
      RawJSON(object: members.compactMap { name, value in value.map { (name, $0) } }).bytes
    }
    var (head, tail) = (Array(object(before).dropLast()), Array(object(after)))
    head += #","deliveries":"#.utf8
    tail[0] = UInt8(ascii: ",")
    return (head, tail)
  }

  /// The function's output.
  package var json: RawJSON {
    get throws {
      guard dryRun == true else { return document }
      let list = payloads.map { Array($0.bytes) }.joined(separator: ",".utf8)
      let array = try RawJSON(validating: (Array("[".utf8) + list + "]".utf8)[...])
      return RawJSON(
        object: document.members.map { ($0.name, $0.value) } + [
          ("payloads", array), ("candidates", try JSONCoding.encode(candidates)),
        ])
    }
  }
}

extension NotificationResult.PersonDecision {
  fileprivate var document: RawJSON {
    RawJSON(object: [("decision", RawJSON(decision)), ("reason", RawJSON(reason)), ("user", RawJSON(user))])
  }
}

extension Decision {
  /// The decision's word in results and `decisions.decision`.
  package var word: String {
    switch self {
    case .notify: "notify"
    case .hold: "hold"
    case .suppress: "suppress"
    }
  }

  /// The reason against a push; `nil` for none.
  package var obstacle: String? {
    switch self {
    case .notify: nil
    case .hold(let hold): hold.reason.rawValue
    case .suppress(let suppression): suppression.rawValue
    }
  }
}

/// A function's result as text: each candidate and the decision.
struct ResultText {
  /// The most people who are named.
  private static let most = 20

  private let result: NotificationResult
  private let people: [String: Rehearsed]
  private let said: [String: String]

  init(_ result: NotificationResult, _ people: [Rehearsed], _ payloads: [RawJSON]) {
    self.result = result
    self.people = Dictionary(people.map { ($0.user, $0) }) { first, _ in first }
    said = Dictionary(payloads.map { ($0["user"]?.stringValue ?? "", Self.words(of: $0["payload"])) }) {
      $0 + "; " + $1
    }
  }

  var text: String {
    let isRehearsal = result.dryRun == true
    let head = isRehearsal ? "Dry run of \(result.function): nothing was written, nobody was told." : result.function
    let entries = ["notify", "hold", "suppress"].flatMap { word in result.decisions.filter { $0.decision == word } }
    let more = entries.count - Self.most
    return
      ([head, summary] + (result.alreadyApplied == true ? ["The event has had its effect already."] : []) + [""]
      + entries.prefix(Self.most).flatMap(lines) + (more > 0 ? ["  and \(result.considered - Self.most) more"] : [])
      + (entries.isEmpty ? [] : [""]) + [hint(isRehearsal)]).map { "\($0)\n" }.joined()
  }

  private var summary: String {
    guard result.considered > 0 else {
      let why = result.reason.map { ": \(Suppression(rawValue: $0)?.words(in: nil) ?? $0)" } ?? ""
      return "There were no candidates\(why)."
    }
    let candidates = result.considered == 1 ? "1 candidate" : "\(result.considered) candidates"
    let devices = result.deliveries == 1 ? "1 device" : "\(result.deliveries) devices"
    let verb = result.dryRun == true ? "would be" : result.notified == 1 ? "was" : "were"
    return "\(candidates); \(result.notified) \(verb) told\(result.notified > 0 ? ", on \(devices)" : "")."
  }

  private func lines(_ entry: NotificationResult.PersonDecision) -> [String] {
    let known = people[entry.user]
    let role = known.map { RoleWords.of($0.recipientReason) } ?? ""
    let name = "\(known?.person ?? entry.user)\(role)"
    switch entry.decision {
    case "notify":
      return ["  told      \(name)"] + (said[entry.user].map { ["            \($0)"] } ?? [])
    case "hold":
      return ["  waits     \(name)", "            \(Hold.Reason(rawValue: entry.reason)?.words ?? entry.reason)"]
    default:
      let words = Suppression(rawValue: entry.reason)?.words(in: known.flatMap { App(rawValue: $0.app) })
      return ["  not told  \(name)", "            \(words ?? entry.reason)"]
    }
  }

  private func hint(_ isRehearsal: Bool) -> String {
    isRehearsal
      ? "Gate by gate: runner why --dry-run --function \(result.function) EVENT-FILE"
      : "Gate by gate: runner why \(result.event)"
  }

  /// The text on the phone.
  private static func words(of payload: RawJSON?) -> String {
    let alert = payload?["aps"]?["alert"]
    let words = [alert?["title"]?.stringValue, alert?["body"]?.stringValue].compactMap(\.self).joined(separator: " · ")
    return words.isEmpty ? "silently" : words
  }
}
