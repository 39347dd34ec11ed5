import Glibc
import Postgres
import TestSupport
import Testing

/// The stream that tells open pages what has changed.
@Suite(.heavy)
struct ConsoleStreamTests {
  private static let request = "GET /_/console/changes HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"

  @Test func aPageHearsOfAnEventAndOfTheEnd() async throws {
    let console = try await ServedConsole.start()
    let page = try RawConnection(port: console.port)
    page.send(Self.request)
    let head = try await page.read(until: "event: hello\ndata: {}\n\n")
    #expect(head.contains("Content-Type: text/event-stream") && head.contains("Cache-Control: no-store"))

    _ = try await console.served.call("good")
    let change = try await page.read(until: "event: change\n")
    #expect(!change.contains("told"))

    console.served.program.send(SIGTERM)
    let rest = try await page.readToEnd()
    #expect(rest.contains("retry: 1000\nevent: end\n"))
    #expect(try await console.served.program.exit() == 0)
  }

  /// The history of a call is written a moment after its end.
  @Test func afterTheLastMessageThePageHasTheCall() async throws {
    let console = try await ServedConsole.start()
    let page = try RawConnection(port: console.port)
    page.send(Self.request)
    _ = try await page.read(until: "event: hello")

    _ = try await console.served.call(
      "good", #"{"specversion":"1.0","id":"the-last-call","source":"/t","type":"t","data":{}}"#,
      headers: [("Content-Type", "application/cloudevents+json")])
    repeat {
      _ = try await page.read(until: "event: change\n")
    } while !(try await console.get("/_/console/").text.contains("the-last-call"))
  }

  @Test func aPageDoesNotWaitWhileSomethingIsCountedForAll() async throws {
    let runner = try await RunningRunner(ServedConsole.manifest, scripts: ServedConsole.scripts)
    let console = ServedConsole(served: try await runner.start(options: ["--console", "on"]))
    let page = try RawConnection(port: console.port)
    page.send(Self.request)
    _ = try await page.read(until: "event: hello")
    let writer = Connection(url: runner.databaseURL, applicationName: "test")
    let counting: SQL = """
      FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'runner console' AND wait_event_type = 'Lock'
      """
    func begun() async throws -> [String?] {
      try await runner.database.query("SELECT query_start::text AS at \(counting)").map { $0["at"] }
    }

    try await writer.transaction { transaction in
      // Only the count reads it.
      _ = try await transaction.query("LOCK TABLE runner.schedule_fires IN ACCESS EXCLUSIVE MODE")
      var isSame = false
      // A count ends after five seconds, and another one begins later.
      for _ in 0..<2 where !isSame {
        try await runner.database.wait(until: "EXISTS (SELECT \(counting))")
        let before = try await begun()
        #expect(try await console.get("/_/console/dead").status == 200)
        let after = try await begun()
        isSame = !before.isEmpty && before == after
      }
      #expect(isSame)
    }
  }

  @Test func thereAreSixteenAtMost() async throws {
    let console = try await ServedConsole.start()
    var pages: [RawConnection] = []
    for _ in 0..<16 {
      let page = try RawConnection(port: console.port)
      page.send(Self.request)
      _ = try await page.read(until: "event: hello")
      pages.append(page)
    }

    #expect(try await console.get("/_/console/changes").status == 503)
    #expect(try await console.get("/_/console/").status == 200)
    pages.removeLast()
    // The runner sees that the page has gone when it reads from it next.
    let deadline = ContinuousClock.now + .seconds(60)
    var head = ""
    repeat {
      let page = try RawConnection(port: console.port)
      page.send(Self.request)
      head = try await page.read(until: "\r\n")
    } while !head.contains(" 200 ") && .now < deadline
    #expect(head.contains(" 200 "))
    #expect(pages.count == 15)
  }
}
