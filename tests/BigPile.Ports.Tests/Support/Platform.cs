using System.Runtime.Versioning;

[assembly: SupportedOSPlatform("linux")]
[assembly: SupportedOSPlatform("windows")]
