using System.Runtime.Versioning;

// Sleeping and waking between processes, and locks that end with a process, need each system's own calls.
[assembly: SupportedOSPlatform("linux")]
[assembly: SupportedOSPlatform("windows")]
