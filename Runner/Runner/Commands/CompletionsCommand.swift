import CLI
import FunctionKit
import Glibc
import Manifest
import System

/// `runner completions`: prints the script with which a shell asks the runner for completions.
struct CompletionsCommand {
  enum Shell: String, CaseIterable {
    case bash, zsh, fish
  }

  private let shell: Shell?
  private let typed: [String]

  init(_ arguments: CommandArguments) throws {
    var arguments = arguments
    if arguments.subject(if: "arguments") {
      (shell, typed) = (nil, arguments.all())
      return
    }
    guard let shell = try arguments.verb(as: Shell.self) else {
      throw FunctionError(.usage, "For which shell? Say bash, zsh or fish; see runner completions --help.")
    }
    (self.shell, typed) = (shell, [])
    try arguments.finish()
  }

  func run() -> Int32 {
    if let shell { return Console.say(shell.script) }
    let project = try? Project()
    let completion = Completion(manifest: project?.manifest) { entry in
      project.map { Self.help(of: entry, $0) } ?? ""
    }
    Console.write(completion.candidates(typed).map { "\($0)\n" }.joined(), to: STDOUT_FILENO)
    return 0
  }

  private static func help(of entry: CommandEntry, _ project: Project) -> String {
    let arguments = ([project.executable(entry.executable)] + entry.arguments + ["--help"]).map {
      "'\($0.escaping("'", as: #"'\''"#))'"
    }
    guard let output = popen(arguments.joined(separator: " ") + " 2>&1", "r") else { return "" }
    defer { pclose(output) }
    var text: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4_096)
    while case let count = fread(&chunk, 1, chunk.count, output), count > 0 { text += chunk[..<count] }
    return String(decoding: text, as: UTF8.self)
  }
}

extension CompletionsCommand.Shell {
  /// The shell offers files if the runner knows no word.
  var script: String {
    switch self {
    case .bash:
      #"""
      _runner() {
        local IFS=$'\n'
        COMPREPLY=($("$1" completions arguments "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
      }
      complete -o default -F _runner runner
      """#
    case .zsh:
      #"""
      #compdef runner
      _runner() {
        local -a found
        found=("${(@f)$($arguments[1] completions arguments "${(@)arguments[2,CURRENT]}" 2>/dev/null)}")
        found=(${found:#})
        if (( $#found )); then compadd -a found; else _files; fi
      }
      compdef _runner runner
      """#
    case .fish:
      #"""
      complete -c runner -f -a '(runner completions arguments (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
      complete -c runner -l project -l state-dir -l event -rF
      """#
    }
  }
}
