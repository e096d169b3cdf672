namespace BigPile.Server.Hosting;

/// <summary>How the console's log looks.</summary>
internal enum LogFormat
{
    /// <summary>Lines for people, as the section <c>Serilog</c> says.</summary>
    Text,

    /// <summary>A JSON object on each line, in the compact form of Serilog: what log collectors read.</summary>
    Json,
}
