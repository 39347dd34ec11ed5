import FunctionKit
package import Manifest

/// The environment of a bundle's commands: the person's own, the database, and the runner's URL.
package enum CommandEnvironment {
  /// All variables by their names, as the project's files and its serving runner say now.
  package static func variables(_ project: Project) -> [String: String] {
    let state = RunnerState.read(project)
    var variables = state?.environment ?? [:]
    let name = Manifest.topicsVariable
    if let entry = project.manifest.functions.first(where: { $0.settings[name] != nil }) {
      variables[name] = entry.setting(name, besides: variables[name])
    }
    variables[Manifest.languagesVariable] = project.manifest.languagesFolder
    variables[Manifest.unreadVariable] = project.manifest.unreadRules
    variables.merge(project.environment.all) { $1 }
    // A relative path would lead elsewhere from another folder.
    if variables[Project.stateVariable] != nil { variables[Project.stateVariable] = project.state }
    let url = try? project.databaseURL()
    variables["DATABASE_URL"] = url
    if project.hasOwnDatabase || state?.emulates(on: url) == true {
      variables[Environment.database] = Environment.localDatabase
    }
    variables["RUNNER_URL"] = state?.url
    return variables
  }
}
