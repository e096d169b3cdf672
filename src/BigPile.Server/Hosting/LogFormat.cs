namespace BigPile.Server.Hosting;

/// <summary>The format of the console log.</summary>
internal enum LogFormat
{
    /// <summary>Text lines, in the format of the section <c>Serilog</c>.</summary>
    Text,

    /// <summary>One JSON object a line in Serilog's compact format, for log collectors.</summary>
    Json,
}
