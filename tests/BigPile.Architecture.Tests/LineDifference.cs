using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;

namespace BigPile.Architecture.Tests;

/// <summary>The difference of two texts by lines, from their longest common subsequence.</summary>
internal static class LineDifference
{
    /// <summary>The removed and added lines, each change with a line of context before and after; nothing if the texts are equal.</summary>
    internal static string Of(string[] before, string[] after)
    {
        (char Mark, string Line)[] steps = [.. StepsOf(before, after)];
        var text = new StringBuilder();
        bool isCut = false;
        for (int i = 0; i < steps.Length; i++)
        {
            if (steps.Skip(i - 1).Take(i == 0 ? 2 : 3).Any(static step => step.Mark != ' '))
            {
                if (isCut)
                    text.Append("  …\n");
                text.Append(steps[i].Mark).Append(' ').Append(steps[i].Line).Append('\n');
                isCut = false;
            }
            else
            {
                isCut = text.Length != 0;
            }
        }
        return text.ToString();
    }

    private static IEnumerable<(char Mark, string Line)> StepsOf(string[] before, string[] after)
    {
        int[,] common = CommonTails(before, after);
        int i = 0;
        int j = 0;
        while (i < before.Length || j < after.Length)
        {
            if (i < before.Length && j < after.Length && before[i] == after[j])
            {
                yield return (' ', before[i++]);
                j++;
            }
            else if (j == after.Length || (i < before.Length && common[i + 1, j] >= common[i, j + 1]))
            {
                yield return ('-', before[i++]);
            }
            else
            {
                yield return ('+', after[j++]);
            }
        }
    }

    // The number of common lines from each pair of lines on.
    private static int[,] CommonTails(string[] before, string[] after)
    {
        var common = new int[before.Length + 1, after.Length + 1];
        for (int i = before.Length - 1; i >= 0; i--)
        {
            for (int j = after.Length - 1; j >= 0; j--)
                common[i, j] = before[i] == after[j] ? common[i + 1, j + 1] + 1 : Math.Max(common[i + 1, j], common[i, j + 1]);
        }
        return common;
    }
}
