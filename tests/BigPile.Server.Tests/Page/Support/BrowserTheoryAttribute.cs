using System;

namespace BigPile.Server.Tests.Page.Support;

/// <summary>Tests in a real browser; skipped where there is none.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class BrowserTheoryAttribute : TheoryAttribute
{
    public BrowserTheoryAttribute() => Skip = Chromium.ExecutablePath == null ? "There is no Chromium in PATH." : null;
}
