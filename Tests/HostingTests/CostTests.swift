import TestSupport
import Testing

@testable import Hosting

/// Lists that others can make as long as they like, in what Lambda hands over: twice the length costs twice the time.
struct CostTests {
  @Test(arguments: batches) func noListCostsTheSquareOfItsLength(_ list: LongList) throws {
    #expect(try list.growth() < 3)
  }

  /// `before`, and as many parts as wanted with commas between them, and `after`.
  private static func text(_ before: String, _ count: Int, _ after: String, part: (Int) -> String) -> String {
    before + (0..<count).map(part).joined(separator: ",") + after
  }

  private static func lambda(_ text: String) -> () throws -> Void {
    { _ = try LambdaEvent(Array(text.utf8), function: "f", requestID: "1") }
  }

  private static func messages(_ count: Int, groups: Int?) -> [LambdaEvent.Message] {
    (0..<count).map { number in
      LambdaEvent.Message(
        id: "00000000-0000-4000-8000-\(number)", body: [], source: "q", group: groups.map { "\(number % $0)" })
    }
  }

  /// Handles a batch in which each message fails that is handled.
  private static func handle(_ messages: [LambdaEvent.Message]) {
    let batch = LambdaBatch(messages)
    while let message = batch.next() { batch.end(message, hasFailed: true) }
    _ = batch.report
  }

  private static let batches = [
    LongList("records of a queue") { count in
      lambda(
        text(#"{"Records":["#, count, "]}") { number in
          #"{"messageId":"\#(number)","body":"{}","eventSource":"aws:sqs","eventSourceARN":"a:q.fifo","attributes":{}}"#
        })
    },
    LongList("records of a stream") { count in
      lambda(text(#"{"Records":["#, count, "]}") { #"{"eventSource":"aws:kinesis","kinesis":{"data":"\#($0)"}}"# })
    },
    LongList("cookies") { count in
      lambda(
        text(
          #"{"version":"2.0","rawPath":"/","requestContext":{"http":{"method":"GET"}},"headers":{},"cookies":["#, count,
          "]}"
        ) { #""c\#($0)=1""# })
    },
    LongList("values of a header and of a parameter") { count in
      let values = text("[", count, "]") { #""v\#($0)""# }
      return lambda(
        #"""
        {"httpMethod":"GET","path":"/","requestContext":{},"multiValueHeaders":{"X-A":\#(values)},
         "multiValueQueryStringParameters":{"x":\#(values)}}
        """#)
    },
    LongList("failed messages") { count in
      let messages = messages(count, groups: nil)
      return { handle(messages) }
    },
    LongList("failed messages of few groups") { count in
      let messages = messages(count, groups: 3)
      return { handle(messages) }
    },
    LongList("failed messages of as many groups") { count in
      let messages = messages(count, groups: count)
      return { handle(messages) }
    },
  ]
}
