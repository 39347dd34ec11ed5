import FunctionKit
import Testing

@testable import Hosting

/// Which engine brings the events, by the command line and the environment.
struct HostEngineTests {
  private static let lambda = ["AWS_LAMBDA_RUNTIME_API": "127.0.0.1:9001"]
  private static let knative = ["K_SERVICE": "echo", "PORT": "8123"]
  private static let watchdog = ["Http_Method": "POST"]

  private func engine(_ variables: [[String: String]], listens: Bool = false) throws -> HostEngine {
    try HostEngine(listens: listens, Environment(variables.reduce(into: [:]) { $0.merge($1) { $1 } }))
  }

  @Test func withoutAVariableItIsHTTP() throws {
    #expect(try engine([]) == .http)
    #expect(try engine([["PORT": "8123", "Http_Path": "/"]]) == .http)
  }

  @Test func theCommandLineCountsBeforeEveryEngine() throws {
    #expect(try engine([Self.lambda, Self.knative, Self.watchdog], listens: true) == .http)
  }

  @Test func lambdaCountsBeforeKnativeAndKnativeBeforeAWatchdog() throws {
    let lambda = HostEngine.lambda(try RuntimeAddress(Environment(Self.lambda)))
    #expect(try engine([Self.lambda, Self.knative, Self.watchdog]) == lambda)
    #expect(try engine([Self.knative, Self.watchdog]) == .http)
    #expect(try engine([Self.watchdog]) == .watchdog)
  }

  @Test(arguments: ["9001", "127.0.0.1", "http://127.0.0.1:9001", "127.0.0.1:0", "lambda.example.com:80", ":80"])
  func anAddressThatIsNoneIsNamed(_ address: String) {
    #expect { try engine([["AWS_LAMBDA_RUNTIME_API": address]]) } throws: { error in
      guard let error = error as? FunctionError, error.code == .misconfigured else { return false }
      return error.message.contains("AWS_LAMBDA_RUNTIME_API")
    }
  }

  @Test func lambdaSaysHowManyEventsComeAtOnceAndTheHandler() throws {
    let lambda = try engine([Self.lambda])
    let many = Environment(["AWS_LAMBDA_MAX_CONCURRENCY": "7", "_HANDLER": "echo"])
    #expect(try lambda.concurrency(Environment([:])) == 1 && lambda.concurrency(many) == 7)
    #expect(lambda.function(many) == "echo" && lambda.function(Environment([:])) == nil)
    #expect(try HostEngine.http.concurrency(many) == nil)
    #expect(HostEngine.http.function(many) == nil)
    for number in ["0", "many", "1001"] {
      let environment = Environment(["AWS_LAMBDA_MAX_CONCURRENCY": number])
      #expect(throws: FunctionError.self) { try lambda.concurrency(environment) }
    }
  }
}
