using System;

namespace BigPile.Server.Tests.Page.Support;

/// <summary>A test in a real browser; skipped where there is none.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class BrowserFactAttribute : FactAttribute
{
    public BrowserFactAttribute() => Skip = Chromium.ExecutablePath == null ? "There is no Chromium in PATH." : null;
}
