/// One step of the story, and where to find its result.
struct Step: Sendable, Equatable {
  let title: String
  let actions: [Action]
  /// The function that should react.
  let function: String
  /// The subject: the id of a feedback or a proposal.
  let subject: String
  /// How many events the actions make.
  var events = 1

  /// Something that an app would do.
  enum Action: Sendable, Equatable {
    /// Statements, printed and executed as they are.
    case sql(String)
    /// A call of a function by its name.
    case call(function: String, body: String)
  }
}
