using System;
using System.IO;

namespace BigPile.Server.Tests.Deploy;

/// <summary>A test with a real HAProxy; skipped where there is none.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class HaproxyFactAttribute : FactAttribute
{
    internal const string Program = "/usr/sbin/haproxy";

    public HaproxyFactAttribute()
    {
        if (!File.Exists(Program))
            Skip = $"There is no {Program}.";
    }
}
