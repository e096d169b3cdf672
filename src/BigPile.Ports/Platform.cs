using System.Runtime.Versioning;

// Sleeping and waking between processes is a futex, and the lock that tells who died one of an opened file: both are Linux's.
[assembly: SupportedOSPlatform("linux")]
