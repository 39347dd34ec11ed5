/// One thing that happens in the story, and where to look for what came of it.
struct Step: Sendable, Equatable {
  let title: String
  let actions: [Action]
  /// The function that is to react.
  let function: String
  /// What it is to react about: the id of a feedback or a proposal.
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
