import TestSupport
import Testing

/// Guesses of the runner's key, at every address that looks at it.
@Suite(.heavy)
struct KeyGuessTests {
  enum Door: String, CaseIterable {
    case function = "good"
    case state = "/_/state"
    case metrics = "/metrics"
    case front = "/"
    case console = "/_/console/"
    case changes = "/_/console/changes"
    case form = "/_/console/sign-in"

    func show(_ key: String, to console: ServedConsole) async throws -> Int {
      switch self {
      case .function: try await console.served.call("good", headers: [("apikey", key)]).status
      case .form: try await console.post(rawValue, [("key", key)]).status
      case .state, .metrics, .front, .console, .changes:
        try await console.get(rawValue, headers: [("Authorization", "Bearer \(key)")]).status
      }
    }
  }

  /// Those whose answer to the right key has an end.
  static let ending = Door.allCases.filter { $0 != .changes }

  private func serve() async throws -> ServedConsole {
    try await ServedConsole.start(environment: ["RUNNER_KEY": ServedConsole.key])
  }

  @Test(arguments: Door.allCases)
  func guessesAtOneSlowTheKeyAtAll(_ door: Door) async throws {
    let console = try await serve()
    let began = ContinuousClock.now
    for number in 0..<5 {
      // The page at / says less to those without the key, and shows itself to all.
      #expect(try await door.show("wrong \(number)", to: console) == (door == .front ? 200 : 401))
    }
    for other in Self.ending {
      let status = try await other.show(ServedConsole.key, to: console)
      // After two seconds another one may be tried.
      if .now - began < .seconds(1.9) { #expect(status == 429, "\(other)") }
    }
  }

  @Test(arguments: ending)
  func whoeverWasAcceptedGoesOn(_ door: Door) async throws {
    let console = try await serve()
    let good = try await door.show(ServedConsole.key, to: console)
    #expect(good < 400)
    for number in 0..<7 { _ = try await door.show("wrong \(number)", to: console) }

    #expect(try await door.show(ServedConsole.key, to: console) == good)
  }
}
