import FunctionKit

/// Returns its event; `make function` copies it as a template.
@main
struct Echo: Function {
  static let summary = "Gives back its event."

  static func live(_ environment: Environment) -> Self { Self() }

  func handle(_ event: Event<RawJSON>, _ context: Context) -> RawJSON {
    event.envelope.document
  }
}
