import FunctionKit

/// Gives back its event: the hello-world, and the template that `make function` copies.
@main
struct Echo: Function {
  static let summary = "Gives back its event."

  static func live(_ environment: Environment) -> Self { Self() }

  func handle(_ event: Event<RawJSON>, _ context: Context) -> RawJSON {
    event.envelope.document
  }
}
