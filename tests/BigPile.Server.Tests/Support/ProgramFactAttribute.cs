using System;
using System.IO;

namespace BigPile.Server.Tests.Support;

/// <summary>A test with a program of the machine's; skipped where there is none.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class ProgramFactAttribute : FactAttribute
{
    public ProgramFactAttribute(string program)
    {
        if (!File.Exists(program))
            Skip = $"There is no {program}.";
    }
}

/// <inheritdoc cref="ProgramFactAttribute"/>
[AttributeUsage(AttributeTargets.Method)]
public sealed class ProgramTheoryAttribute : TheoryAttribute
{
    public ProgramTheoryAttribute(string program) => Skip = new ProgramFactAttribute(program).Skip;
}
