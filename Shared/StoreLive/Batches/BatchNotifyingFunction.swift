package import FunctionKit

/// A function with one announcement for an event, which is decided on together with others.
package protocol BatchNotifyingFunction: NotifyingFunction, BatchFunction where Output == RawJSON {
  var store: NotificationStore { get }

  /// The request for what it tells because of an event.
  /// - Throws: if the event is not one of this function's.
  func request(_ event: Event<Payload>, _ context: Context) throws -> NotificationRequest
}

extension BatchNotifyingFunction {
  package func handle(_ event: Event<Payload>, _ context: Context) async throws -> RawJSON {
    try await store.notify(try request(event, context)).json
  }

  package func handle(
    _ batch: [(event: Event<Payload>, context: Context)]
  ) async throws -> [Result<RawJSON, any Error>] {
    let requests = batch.map { call in Result { try request(call.event, call.context) } }
    return try await requests.handledTogether { try await store.notify($0).map { try $0.json } }
  }
}

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
