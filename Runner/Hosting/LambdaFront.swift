import FunctionKit
import Gateway
import HTTPClient
import Manifest
import System

/// Brings the events of AWS Lambda to the host's function.
///
/// It asks for as many events at the same time as the function has processes: one, or as many as Lambda Managed
/// Instances allow.
@RunnerLoop
struct LambdaFront {
  private let host: FunctionHost
  private let address: RuntimeAddress
  /// The API is on this machine, or beside it.
  private let client = LoopHTTPClient(on: RunnerLoop.loop, connections: 1, memory: .max, proxy: .direct)

  init(_ host: FunctionHost, _ address: RuntimeAddress) { (self.host, self.address) = (host, address) }

  /// Takes events until the host is to end.
  func run(_ gateway: Gateway) async {
    guard let function = host.functions.first?.name else { return }
    if let refusal = await RuntimeAPI(address, client).registerExtension(function) {
      host.log.warning("The process will end without a signal", ["error.cause": refusal.reason])
    }
    let loops = (0..<host.processes).map { _ in
      LambdaLoop(host, gateway, of: function, RuntimeAPI(address, client))
    }
    host.onEnd = { loops.forEach { $0.stop() } }
    if host.isEnding { loops.forEach { $0.stop() } }
    await withDiscardingTaskGroup { group in
      for loop in loops { group.addTask { await loop.run() } }
    }
    // What has not ended in time ends now.
    host.endProcesses()
  }

  /// Says why the function cannot start.
  func fail(_ error: any Error) async {
    if let refusal = await RuntimeAPI(address, client).failInitialization(LambdaFailure(FunctionError(error))) {
      host.log.error("Lambda's Runtime API refuses an error", ["error.cause": refusal.reason])
    }
  }
}
