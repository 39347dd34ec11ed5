public import FunctionKit

/// A function whose result is a ``NotificationResult``.
public protocol NotifyingFunction: Function {}

extension NotifyingFunction {
  /// Who is told, who is not and why, and what a dry run would have the phones show.
  public static func text(of result: RawJSON) -> String {
    guard let told = try? JSONCoding.decode(NotificationResult.self, from: result) else { return result.pretty + "\n" }
    let people = (try? JSONCoding.decode([Rehearsed].self, from: result["candidates"] ?? .null)) ?? []
    return ResultText(told, people, result["payloads"]?.elements ?? []).text
  }
}
