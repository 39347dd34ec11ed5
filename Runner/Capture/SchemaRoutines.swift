/// The functions that servers call, and the policies that let servers in, as migrations say.
///
/// It is read from their text, in which each statement begins a line.
struct SchemaRoutines: Sendable {
  /// The names of all functions.
  let made: [String]
  /// The names of functions, but those that a statement of the migrations takes from PUBLIC: only the owner calls those,
  /// or a trigger or policy does.
  let functions: [String]
  /// Conditions of policies for all roles, which ask who looks and not what the row is: `push_is_server()`.
  let conditions: [String]

  /// The functions and policies of all migrations together.
  init(of migrations: [SchemaMigration]) {
    var (made, taken, conditions): (Set<String>, Set<String>, Set<String>) = ([], [], [])
    for line in migrations.flatMap(\.allLines) {
      for start in ["CREATE FUNCTION ", "CREATE OR REPLACE FUNCTION "] where line.hasPrefix(start) {
        made.insert(String(line.dropFirst(start.count).prefix { $0 != "(" }))
      }
      if line.hasPrefix(Self.revocation), let (start, _) = line.parts(at: " FROM PUBLIC") {
        let names = start.dropFirst(Self.revocation.count)
        taken.formUnion(names.split(separator: ",").map { String($0.drop { $0 == " " }.prefix { $0 != "(" }) })
      }
      if let condition = Self.condition(in: line) { conditions.insert(condition) }
    }
    self.made = made.sorted()
    functions = made.subtracting(taken).sorted()
    self.conditions = conditions.sorted()
  }

  private static let revocation = "REVOKE EXECUTE ON FUNCTION "

  /// The condition of a policy that names no role and calls one function without arguments.
  private static func condition(in line: Substring) -> String? {
    guard line.holds("CREATE POLICY "), !line.holds(" TO "), let (_, rest) = line.parts(at: " USING (") else {
      return nil
    }
    let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
    return !name.isEmpty && rest[name.endIndex...].hasPrefix("())") ? "\(name)()" : nil
  }
}
