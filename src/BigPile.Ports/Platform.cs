using System.Runtime.Versioning;

// Sleeping and waking between processes, and the locks that tell who died, are each system's own.
[assembly: SupportedOSPlatform("linux")]
[assembly: SupportedOSPlatform("windows")]
