/// The version of the bundle, shown by `--version` of every executable.
package let bundleVersion = "1.0.0"
