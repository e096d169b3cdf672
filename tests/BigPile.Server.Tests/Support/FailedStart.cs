using System.IO;
using System.Threading.Tasks;

namespace BigPile.Server.Tests.Support;

/// <summary>A start of the program that ends at once.</summary>
internal static class FailedStart
{
    /// <summary>Runs the program in the test's process.</summary>
    /// <returns>Its exit code, and what it said.</returns>
    internal static async Task<(int Code, string Error)> RunAsync(string[] args)
    {
        var error = new StringWriter { NewLine = "\n" };
        int code = await Program.RunAsync(args, TextWriter.Null, error);
        return (code, error.ToString());
    }
}
