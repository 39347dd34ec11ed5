import Testing

@testable import FunctionKit

/// Which host a function has, by its arguments and its environment.
struct HostTests {
  private func host(_ words: [String] = [], _ variables: [String: String] = [:]) throws -> Host {
    try Host(Arguments(words), Environment(variables))
  }

  private func code(_ words: [String], _ variables: [String: String] = [:]) -> FunctionError.Code? {
    do {
      _ = try host(words, variables)
      return nil
    } catch {
      return (error as? FunctionError)?.code
    }
  }

  private static let knative = ["K_SERVICE": "echo", "PORT": "8123"]
  private static let watchdog = ["Http_Method": "POST"]

  private static var all: [String: String] { knative.merging(watchdog) { $1 } }

  @Test func withoutAnEngineItIsOneEvent() throws {
    #expect(try host() == .once(eventID: nil))
    #expect(try host(["--event-id", "7"]) == .once(eventID: "7"))
    #expect(try host(["--dry-run"], ["PORT": "8123", "Http_Path": "/"]) == .once(eventID: nil))
  }

  @Test func anArgumentCountsBeforeEveryEngine() throws {
    #expect(try host(["--stream"], Self.all) == .stream)
    guard case .http(let settings) = try host(["--http", "81"], Self.all) else { throw Unexpected() }
    #expect((settings.host, settings.port) == ("0.0.0.0", 81))
  }

  @Test func knativeCountsBeforeAWatchdog() throws {
    guard case .http(let settings) = try host([], Self.all) else { throw Unexpected() }
    #expect((settings.host, settings.port, settings.concurrency) == ("0.0.0.0", 8_123, 1))
    #expect(try host([], Self.watchdog) == .cgi)
  }

  @Test(
    arguments: [
      (["--http"], [:], "127.0.0.1", 8_080), (["--http"], ["PORT": "9"], "127.0.0.1", 9),
      (["--http", "0"], [:], "127.0.0.1", 0), (["--http", "0.0.0.0:80", "--open"], [:], "0.0.0.0", 80),
      (["--open", "--http", "[::]:80"], [:], "::", 80), (["--http", "127.0.0.1:80", "--open"], [:], "127.0.0.1", 80),
      (["--http", "0.0.0.0:80"], knative, "0.0.0.0", 80),
      (["--http", "[::1]:80", "--dry-run"], [:], "::1", 80), (["--http", "--dry-run"], [:], "127.0.0.1", 8_080),
    ] as [([String], [String: String], String, UInt16)])
  func listensWhereItIsTold(_ words: [String], _ variables: [String: String], _ address: String, _ port: UInt16) throws
  {
    guard case .http(let settings) = try host(words, variables) else { throw Unexpected() }
    #expect((settings.host, settings.port) == (address, port))
  }

  /// `runner serve` and `runner host` refuse that, too, unless there is a key.
  @Test(arguments: [
    "0.0.0.0:80", "[::]:80", "192.0.2.1:80", "[2001:db8::1]:80", "127.0.0.2:80", "[::ffff:127.0.0.1]:0",
  ])
  func isNotOpenedToOtherMachinesWithoutAWord(_ place: String) {
    #expect { try host(["--http", place]) } throws: { error in
      (error as? FunctionError)?.code == .usage && "\(error)".contains("--open")
    }
  }

  @Test func handlesAsManyCallsAsItIsTold() throws {
    guard case .http(let settings) = try host(["--concurrency", "16"], Self.knative) else { throw Unexpected() }
    #expect(settings.concurrency == 16)
  }

  @Test(arguments: [
    ["--http", "x"], ["--http", "70000"], ["--http", "localhost:80"], ["--http", "1.2.3:80"], ["--http", "80", "81"],
    ["--http", "--http"], ["--http", "--stream"], ["--http", "--concurrency", "0"], ["--http", "--concurrency", "129"],
    ["--http", "--concurrency"], ["--concurrency", "2"], ["--stream", "--concurrency", "2"],
    ["--open"], ["--stream", "--open"],
    ["--stream", "--event-id", "7"], ["--http", "--event-id", "7"],
  ])
  func refusesArgumentsThatDoNotFit(_ words: [String]) {
    #expect(code(words) == .usage)
  }

  @Test(arguments: [
    ["K_SERVICE": "echo"], ["K_SERVICE": "echo", "PORT": "http"],
    ["K_SERVICE": "echo", "PORT": "0"], ["K_SERVICE": "echo", "PORT": "65536"],
  ])
  func anUnusableVariableIsNamed(_ variables: [String: String]) {
    #expect { try host([], variables) } throws: { error in
      guard let error = error as? FunctionError, error.code == .misconfigured else { return false }
      return variables.keys.contains { error.message.contains($0) }
    }
  }

  private struct Unexpected: Error {}
}
