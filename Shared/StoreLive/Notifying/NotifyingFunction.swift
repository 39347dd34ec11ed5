package import FunctionKit

/// A function whose result is a ``NotificationResult``.
package protocol NotifyingFunction: Function {}

extension NotifyingFunction {
  /// Lists who is notified, who is not and why, and in a dry run what the phones would show.
  package static func text(of result: RawJSON) -> String {
    guard let notified = try? JSONCoding.decode(NotificationResult.self, from: result) else {
      return result.pretty + "\n"
    }
    let people = (try? JSONCoding.decode([Rehearsed].self, from: result["candidates"] ?? .null)) ?? []
    return ResultText(notified, people, result["payloads"]?.elements ?? []).text
  }
}
