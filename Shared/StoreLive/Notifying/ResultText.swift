import FunctionKit
import Notifications

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

  private func lines(_ entry: NotificationResult.Entry) -> [String] {
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
