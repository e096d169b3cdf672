using System;

namespace BigPile.Tests.Codec;

/// <summary>Bytes that MessagePack-CSharp 3.1 itself wrote for the same objects.</summary>
public sealed class ContractBytesTests
{
    public static TheoryData<object, string> Known => new()
    {
        { new KeyedNumbers(),
            "DC0010FBD1F448D38000000000000000CFFFFFFFFFFFFFFFFFCE00011170CD012CCCC8D0DF78CA3FC00000CB400400000000"
            + "0000C3CCC80501C0"
        },
        { new KeyedTexts(),
            "97A0C0BF61616161616161616161616161616161616161616161616161616161616161D92062626262626262626262626262"
            + "62626262626262626262626262626262626262D928C3A9C3A9C3A9C3A9C3A9C3A9C3A9C3A9C3A9C3A9C3A9C3A9C3A9C3A9C3"
            + "A9C3A9C3A9C3A9C3A9C3A9AC687474703A2F2F612F623F63A5312E322E33"
        },
        { new KeyedTimes(), "96D6FF663881D9C70CFF00000000FFFFFFFFDA61628092D6FF663881D978D3FFFFFFF36D596400D7FF1D6F32F0663881D9C0" },
        { new KeyedDays(), "92CE000B4646CF00000008AB14B780" },
        { new KeyedArrays(), "9B9301FFCE0001117091CB3FF8000000000000C402010292A178C091C3916191D6FF6592008091CCC892010291FF91CA3F800000" },
        { new KeyedCollections(), "9791018101A1619103920102920201910181A16101" },
        { new KeyedImmutables(), "93920102910181A16101" },
        { new KeyedInterfaces(), "979101910281A16101910491058101029106" },
        { new KeyedTuples(), "939201A1619202A1629203A163" },
        { new KeyedWideNumbers(),
            "94C409D20A1FEB8CA954AB00D92430303131323233332D343435352D363637372D383839392D616162626363646465656666"
            + "A42D302E35CA40000000"
        },
        { new KeyedDerived(), "920102" },
        { new KeyedNest(), "969101C09201A173C0919207C081A16B9101" },
        { new KeyedViews(), "92C40104C40105" },
        { new KeyedBits(), "9192C3C2" },
        { new NamedMembers(), "83A5416C70686101A442657461A162A547616D6D619101" },
    };

    [Theory, MemberData(nameof(Known))]
    public void BytesAreThoseOfThatLibrary(object value, string expected)
    {
        var fixture = new CodecFixture();
        byte[] payload = fixture.Write(value);
        Assert.Equal(expected, Convert.ToHexString(payload, 4, payload.Length - 4));
        Assert.Equal(payload, fixture.Write(fixture.Read(payload)));
    }
}
