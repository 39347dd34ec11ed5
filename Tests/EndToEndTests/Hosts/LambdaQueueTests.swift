import Foundation
import FunctionKit
import TestSupport
import Testing

/// Messages of SQS under `runner host`: against ``RuntimeAPIServer``.
@Suite(.heavy)
struct LambdaQueueTests {
  private typealias Message = (id: String, body: String, group: String)

  private func queue(_ name: String, _ messages: [Message]) -> String {
    let records = messages.map { message in
      RawJSON(object: [
        ("messageId", RawJSON(message.id)), ("body", RawJSON(message.body)), ("eventSource", RawJSON("aws:sqs")),
        ("eventSourceARN", RawJSON("arn:aws:sqs:eu-west-1:1:\(name)")),
        ("attributes", RawJSON(object: [("MessageGroupId", RawJSON(message.group))])),
      ])
    }
    return String(decoding: RawJSON(object: [("Records", RawJSON(array: records))]).bytes, as: UTF8.self)
  }

  private func failed(_ said: RuntimeAPIServer.Said?) throws -> [String?] {
    let body = try RawJSON(validating: Array((said?.body ?? "").utf8)[...])
    return try #require(body["batchItemFailures"]?.elements).map { $0["itemIdentifier"]?.stringValue }
  }

  @Test func failedMessagesAreReportedAndThoseBehindThemInTheirGroup() async throws {
    let messages: [Message] = [("1", "1", "a"), ("2", "{", "a"), ("3", "3", "b"), ("4", "4", "a"), ("5", "5", "b")]
    let api = try RuntimeAPIServer([
      .init(id: "all", body: queue("q.fifo", [messages[0]])), .init(id: "fifo", body: queue("q.fifo", messages)),
      .init(id: "standard", body: queue("q", messages)),
    ])
    let echo = try api.start("echo")

    let said = await api.said(3)

    #expect(try failed(said[0]) == [])
    #expect(try failed(said[1]) == ["2", "4"])
    #expect(try failed(said[2]) == ["2"])
    #expect(echo.ended == nil)
  }

  /// The queue gives the messages that are left to another process.
  ///
  /// The function ends its host before it answers its third message.
  @Test(arguments: ["q", "q.fifo"]) func afterTheSignalNoMessageIsBegun(_ name: String) async throws {
    let folder = try TemporaryDirectory()
    try folder.write(#"{"functions":{"ending":{"executable":"ending"}}}"#, to: "functions.json")
    try folder.write(
      #"""
      #!/bin/sh
      while read -r line; do
        id=${line#*\"id\":\"}
        id=${id%%\"*}
        if [ "$id" = 2 ]; then kill -TERM $PPID; fi
        echo "{\"id\":\"$id\",\"exit\":0,\"result\":null}"
      done

      """#, to: "ending", mode: 0o700)
    let ids = (0..<1_000).map { "\($0)" }
    let api = try RuntimeAPIServer([.init(id: "a", body: queue(name, ids.map { ($0, $0, $0) }))])
    let host = try RunningProgram(
      "runner", ["host", "ending", "--project", folder.path], environment: api.environment)

    let left = try failed(await api.said(1).first)

    #expect(!left.isEmpty && left.count <= 997 && left == ids.suffix(left.count))
    #expect(try await host.exit() == 0)
  }

  @Test func messagesThatWereNotHandledInTimeAreReported() async throws {
    let (listener, port) = try Sockets.listen()
    defer { close(listener) }
    let body = try House.text("Tests/Events/vote-cast.json")
    let messages: [Message] = [("1", body, "a"), ("2", body, "a")]
    let api = try RuntimeAPIServer([
      .init(id: "a", body: queue("q", messages), deadline: .now.addingTimeInterval(1.5))
    ])
    let vote = try api.start(
      "vote-cast", ["DATABASE_URL": "postgres://u@127.0.0.1:\(port)/d?sslmode=disable&connect_timeout=100"])

    #expect(try failed(await api.said(1).first) == ["1", "2"])
    #expect(try await vote.exit() == 75)
  }
}
