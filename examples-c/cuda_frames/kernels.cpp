// What kernels.cu is compiled to: the driver compiles this text for whatever GPU there is.
#include "kernels.hpp"

const char kernels_ptx[] = R"ptx(
.version 7.0
.target sm_70
.address_size 64

.visible .entry draw(
    .param .u64 draw_param_0,
    .param .u32 draw_param_1,
    .param .u32 draw_param_2,
    .param .f32 draw_param_3,
    .param .f32 draw_param_4,
    .param .f32 draw_param_5,
    .param .f32 draw_param_6,
    .param .f32 draw_param_7
)
{
    .reg .pred     %p<13>;
    .reg .b16     %rs<9>;
    .reg .f32     %f<156>;
    .reg .b32     %r<24>;
    .reg .b64     %rd<5>;

    ld.param.u64     %rd1, [draw_param_0];
    ld.param.u32     %r5, [draw_param_1];
    ld.param.u32     %r6, [draw_param_2];
    ld.param.f32     %f38, [draw_param_3];
    ld.param.f32     %f39, [draw_param_4];
    ld.param.f32     %f40, [draw_param_5];
    ld.param.f32     %f41, [draw_param_6];
    ld.param.f32     %f42, [draw_param_7];
    mov.u32     %r7, %ctaid.x;
    mov.u32     %r8, %ntid.x;
    mov.u32     %r9, %tid.x;
    mad.lo.s32     %r1, %r7, %r8, %r9;
    mov.u32     %r10, %ntid.y;
    mov.u32     %r11, %ctaid.y;
    mov.u32     %r12, %tid.y;
    mad.lo.s32     %r2, %r11, %r10, %r12;
    setp.ge.s32     %p3, %r1, %r5;
    setp.ge.s32     %p4, %r2, %r6;
    or.pred      %p5, %p3, %p4;
    @%p5 bra     $L__BB0_11;

    cvt.rn.f32.s32     %f46, %r6;
    div.approx.ftz.f32     %f1, %f40, %f46;
    cvt.rn.f32.s32     %f47, %r1;
    add.ftz.f32     %f48, %f47, %f41;
    cvt.rn.f32.s32     %f49, %r5;
    mul.ftz.f32     %f50, %f49, 0f3F000000;
    sub.ftz.f32     %f51, %f48, %f50;
    mul.ftz.f32     %f144, %f51, %f1;
    mul.ftz.f32     %f52, %f46, 0f3F000000;
    cvt.rn.f32.s32     %f53, %r2;
    sub.ftz.f32     %f54, %f52, %f53;
    sub.ftz.f32     %f55, %f54, %f42;
    mul.ftz.f32     %f143, %f55, %f1;
    mul.ftz.f32     %f56, %f143, %f143;
    fma.rn.ftz.f32     %f149, %f144, %f144, %f56;
    setp.geu.ftz.f32     %p7, %f149, 0f45800000;
    mov.pred     %p12, 0;
    mov.f32     %f147, 0f3F800000;
    mov.u16     %rs8, 0;
    mov.f32     %f148, 0f00000000;
    mov.f32     %f150, %f149;
    mov.f32     %f151, %f147;
    @%p7 bra     $L__BB0_5;

    mov.f32     %f147, 0f3F800000;
    mov.f32     %f148, 0f00000000;
    mov.u16     %rs8, 0;
    mov.u32     %r23, 0;
    mov.f32     %f150, %f149;

$L__BB0_3:
    .pragma "nounroll";
    mul.ftz.f32     %f59, %f143, %f148;
    mul.ftz.f32     %f60, %f144, %f147;
    sub.ftz.f32     %f61, %f60, %f59;
    add.ftz.f32     %f62, %f61, %f61;
    mul.ftz.f32     %f63, %f144, %f148;
    fma.rn.ftz.f32     %f64, %f143, %f147, %f63;
    add.ftz.f32     %f65, %f64, %f64;
    mul.ftz.f32     %f66, %f65, %f65;
    fma.rn.ftz.f32     %f67, %f62, %f62, %f66;
    setp.gt.ftz.f32     %p8, %f67, 0f60AD78EC;
    mul.ftz.f32     %f68, %f62, 0f3089705F;
    mul.ftz.f32     %f69, %f65, 0f3089705F;
    selp.f32     %f147, %f68, %f62, %p8;
    selp.f32     %f148, %f69, %f65, %p8;
    selp.b16     %rs8, 1, %rs8, %p8;
    mul.ftz.f32     %f70, %f143, %f143;
    mul.ftz.f32     %f71, %f144, %f144;
    sub.ftz.f32     %f72, %f71, %f70;
    add.ftz.f32     %f12, %f72, %f38;
    add.ftz.f32     %f73, %f144, %f144;
    fma.rn.ftz.f32     %f143, %f73, %f143, %f39;
    mul.ftz.f32     %f74, %f12, %f12;
    fma.rn.ftz.f32     %f149, %f143, %f143, %f74;
    min.ftz.f32     %f150, %f150, %f149;
    add.s32     %r23, %r23, 1;
    setp.lt.u32     %p9, %r23, 1000;
    setp.lt.ftz.f32     %p12, %f149, 0f45800000;
    and.pred      %p10, %p12, %p9;
    mov.f32     %f144, %f12;
    @%p10 bra     $L__BB0_3;

    cvt.rn.f32.s32     %f75, %r23;
    add.ftz.f32     %f151, %f75, 0f3F800000;
    mov.f32     %f144, %f12;

$L__BB0_5:
    @%p12 bra     $L__BB0_9;
    bra.uni     $L__BB0_6;

$L__BB0_9:
    sqrt.rn.ftz.f32     %f127, %f150;
    mul.ftz.f32     %f153, %f127, 0f3D4CCCCD;
    mul.ftz.f32     %f154, %f127, 0f3DB851EC;
    mul.ftz.f32     %f155, %f127, 0f3E99999A;
    bra.uni     $L__BB0_10;

$L__BB0_6:
    mul.ftz.f32     %f77, %f143, %f148;
    fma.rn.ftz.f32     %f78, %f144, %f147, %f77;
    mul.ftz.f32     %f79, %f144, %f148;
    mul.ftz.f32     %f80, %f143, %f147;
    sub.ftz.f32     %f81, %f80, %f79;
    sub.ftz.f32     %f82, %f81, %f78;
    mul.ftz.f32     %f83, %f81, %f81;
    fma.rn.ftz.f32     %f84, %f78, %f78, %f83;
    rsqrt.approx.ftz.f32     %f85, %f84;
    mul.ftz.f32     %f86, %f82, %f85;
    fma.rn.ftz.f32     %f87, %f86, 0f3F3504F4, 0f3FB33333;
    mov.f32     %f88, 0f00000000;
    max.ftz.f32     %f89, %f88, %f87;
    mul.ftz.f32     %f24, %f89, 0f3ED55556;
    lg2.approx.ftz.f32     %f25, %f149;
    mul.ftz.f32     %f90, %f25, 0f3F317218;
    mul.ftz.f32     %f91, %f90, 0f3F000000;
    mul.ftz.f32     %f92, %f148, %f148;
    fma.rn.ftz.f32     %f93, %f147, %f147, %f92;
    div.approx.ftz.f32     %f94, %f149, %f93;
    sqrt.rn.ftz.f32     %f95, %f94;
    mul.ftz.f32     %f26, %f91, %f95;
    and.b16      %rs6, %rs8, 255;
    setp.ne.s16     %p11, %rs6, 0;
    mov.f32     %f152, 0f3F0CCCCD;
    @%p11 bra     $L__BB0_8;

    div.approx.ftz.f32     %f96, %f26, %f1;
    mul.ftz.f32     %f97, %f96, 0fBF333333;
    mul.ftz.f32     %f98, %f97, 0f3FB8AA3B;
    ex2.approx.ftz.f32     %f99, %f98;
    mul.ftz.f32     %f152, %f99, 0f3F0CCCCD;

$L__BB0_8:
    mul.ftz.f32     %f100, %f25, 0f3F000000;
    lg2.approx.ftz.f32     %f101, %f100;
    sub.ftz.f32     %f102, %f151, %f101;
    mul.ftz.f32     %f103, %f24, %f24;
    mul.ftz.f32     %f104, %f103, 0f3F8CCCCD;
    mul.ftz.f32     %f105, %f102, 0fBB83126F;
    mul.ftz.f32     %f106, %f102, %f105;
    mul.ftz.f32     %f107, %f106, 0f3FB8AA3B;
    ex2.approx.ftz.f32     %f108, %f107;
    mov.f32     %f109, 0f3F800000;
    sub.ftz.f32     %f110, %f109, %f108;
    mul.ftz.f32     %f111, %f104, %f110;
    fma.rn.ftz.f32     %f112, %f102, 0f3D3851EC, 0f3EB33333;
    mul.ftz.f32     %f113, %f112, 0f40C90FDB;
    cos.approx.ftz.f32     %f114, %f113;
    fma.rn.ftz.f32     %f115, %f114, 0f3F000000, 0f3F000000;
    fma.rn.ftz.f32     %f153, %f111, %f115, %f152;
    fma.rn.ftz.f32     %f116, %f102, 0f3D3851EC, 0f3E6147AE;
    mul.ftz.f32     %f117, %f116, 0f40C90FDB;
    cos.approx.ftz.f32     %f118, %f117;
    fma.rn.ftz.f32     %f119, %f118, 0f3F000000, 0f3F000000;
    mul.ftz.f32     %f120, %f111, %f119;
    mul.ftz.f32     %f121, %f120, 0f3F400000;
    fma.rn.ftz.f32     %f154, %f152, 0f3F4CCCCD, %f121;
    fma.rn.ftz.f32     %f122, %f102, 0f3D3851EC, 0f3D4CCCCD;
    mul.ftz.f32     %f123, %f122, 0f40C90FDB;
    cos.approx.ftz.f32     %f124, %f123;
    fma.rn.ftz.f32     %f125, %f124, 0f3F000000, 0f3F000000;
    fma.rn.ftz.f32     %f126, %f111, %f125, 0f3CA3D70A;
    fma.rn.ftz.f32     %f155, %f152, 0f3F0CCCCD, %f126;

$L__BB0_10:
    mad.lo.s32     %r22, %r2, %r5, %r1;
    cvta.to.global.u64     %rd2, %rd1;
    mul.wide.s32     %rd3, %r22, 16;
    add.s64     %rd4, %rd2, %rd3;
    ld.global.v4.f32     {%f128, %f129, %f130, %f131}, [%rd4];
    add.ftz.f32     %f136, %f155, %f130;
    add.ftz.f32     %f137, %f154, %f129;
    add.ftz.f32     %f138, %f153, %f128;
    add.ftz.f32     %f139, %f131, 0f3F800000;
    st.global.v4.f32     [%rd4], {%f138, %f137, %f136, %f139};

$L__BB0_11:
    ret;

}
.visible .entry develop(
    .param .u64 develop_param_0,
    .param .u64 develop_param_1,
    .param .u32 develop_param_2,
    .param .u32 develop_param_3
)
{
    .reg .pred     %p<9>;
    .reg .f32     %f<119>;
    .reg .b32     %r<39>;
    .reg .b64     %rd<11>;

    ld.param.u64     %rd4, [develop_param_0];
    ld.param.u64     %rd5, [develop_param_1];
    ld.param.u32     %r15, [develop_param_2];
    ld.param.u32     %r16, [develop_param_3];
    cvta.to.global.u64     %rd1, %rd5;
    mov.u32     %r17, %ntid.x;
    mov.u32     %r18, %ctaid.x;
    mov.u32     %r19, %tid.x;
    mad.lo.s32     %r1, %r18, %r17, %r19;
    mov.u32     %r20, %ntid.y;
    mov.u32     %r21, %ctaid.y;
    mov.u32     %r22, %tid.y;
    mad.lo.s32     %r2, %r21, %r20, %r22;
    setp.ge.s32     %p1, %r1, %r15;
    setp.ge.s32     %p2, %r2, %r16;
    or.pred      %p3, %p1, %p2;
    @%p3 bra     $L__BB1_15;

    mad.lo.s32     %r3, %r2, %r15, %r1;
    mul.wide.s32     %rd6, %r3, 16;
    add.s64     %rd7, %rd1, %rd6;
    ld.global.v4.f32     {%f36, %f37, %f38, %f39}, [%rd7];
    mov.f32     %f44, 0f3F800000;
    div.approx.ftz.f32     %f1, %f44, %f39;
    mul.ftz.f32     %f2, %f36, %f1;
    mul.ftz.f32     %f3, %f37, %f1;
    mul.ftz.f32     %f4, %f38, %f1;
    add.s32     %r4, %r15, -1;
    add.s32     %r5, %r16, -1;
    add.s32     %r6, %r1, -6;
    mov.u32     %r36, -6;
    cvta.to.global.u64     %rd2, %rd4;
    mov.f32     %f112, 0f00000000;
    mov.f32     %f113, %f112;
    mov.f32     %f114, %f112;
    mov.f32     %f115, %f112;

$L__BB1_2:
    .pragma "nounroll";
    add.s32     %r25, %r36, %r2;
    max.s32     %r26, %r25, 0;
    min.s32     %r27, %r26, %r5;
    mul.lo.s32     %r8, %r27, %r15;
    mul.lo.s32     %r9, %r36, %r36;
    mov.u32     %r38, -8;
    mov.u32     %r37, %r6;

$L__BB1_3:
    .pragma "nounroll";
    max.s32     %r28, %r37, 0;
    min.s32     %r29, %r28, %r4;
    add.s32     %r30, %r29, %r8;
    mul.wide.s32     %rd8, %r30, 16;
    add.s64     %rd9, %rd1, %rd8;
    ld.global.v4.f32     {%f45, %f46, %f47, %f48}, [%rd9];
    add.s32     %r38, %r38, 2;
    mad.lo.s32     %r31, %r38, %r38, %r9;
    cvt.rn.f32.s32     %f52, %r31;
    mul.ftz.f32     %f53, %f52, 0fBD75C28F;
    mul.ftz.f32     %f54, %f53, 0f3FB8AA3B;
    ex2.approx.ftz.f32     %f55, %f54;
    add.ftz.f32     %f115, %f115, %f55;
    fma.rn.ftz.f32     %f56, %f1, %f45, 0fBF19999A;
    mov.f32     %f57, 0f00000000;
    max.ftz.f32     %f58, %f57, %f56;
    fma.rn.ftz.f32     %f114, %f55, %f58, %f114;
    fma.rn.ftz.f32     %f59, %f1, %f46, 0fBF19999A;
    max.ftz.f32     %f60, %f57, %f59;
    fma.rn.ftz.f32     %f113, %f55, %f60, %f113;
    fma.rn.ftz.f32     %f61, %f1, %f47, 0fBF19999A;
    max.ftz.f32     %f62, %f57, %f61;
    fma.rn.ftz.f32     %f112, %f55, %f62, %f112;
    add.s32     %r37, %r37, 2;
    setp.lt.s32     %p4, %r38, 5;
    @%p4 bra     $L__BB1_3;

    add.s32     %r14, %r36, 2;
    setp.lt.s32     %p5, %r36, 5;
    mov.u32     %r36, %r14;
    @%p5 bra     $L__BB1_2;

    mov.f32     %f63, 0f3F19999A;
    div.approx.ftz.f32     %f64, %f63, %f115;
    fma.rn.ftz.f32     %f65, %f114, %f64, %f2;
    fma.rn.ftz.f32     %f17, %f113, %f64, %f3;
    fma.rn.ftz.f32     %f18, %f112, %f64, %f4;
    cvt.rn.f32.s32     %f66, %r1;
    add.ftz.f32     %f67, %f66, %f66;
    cvt.rn.f32.s32     %f68, %r15;
    div.approx.ftz.f32     %f69, %f67, %f68;
    add.ftz.f32     %f70, %f69, 0fBF800000;
    cvt.rn.f32.s32     %f71, %r2;
    add.ftz.f32     %f72, %f71, %f71;
    cvt.rn.f32.s32     %f73, %r16;
    div.approx.ftz.f32     %f74, %f72, %f73;
    add.ftz.f32     %f75, %f74, 0fBF800000;
    mul.ftz.f32     %f76, %f75, %f75;
    fma.rn.ftz.f32     %f77, %f70, %f70, %f76;
    fma.rn.ftz.f32     %f19, %f77, 0fBE800000, 0f3F8CCCCD;
    mul.lo.s32     %r32, %r3, 3;
    cvt.s64.s32     %rd10, %r32;
    add.s64     %rd3, %rd2, %rd10;
    mul.ftz.f32     %f78, %f65, %f19;
    fma.rn.ftz.f32     %f79, %f78, 0f4020A3D7, 0f3CF5C28F;
    mul.ftz.f32     %f80, %f78, %f79;
    fma.rn.ftz.f32     %f81, %f78, 0f401B851F, 0f3F170A3D;
    fma.rn.ftz.f32     %f82, %f78, %f81, 0f3E0F5C29;
    div.approx.ftz.f32     %f83, %f80, %f82;
    cvt.ftz.sat.f32.f32     %f20, %f83;
    setp.gtu.ftz.f32     %p6, %f20, 0f3B4D2E1C;
    @%p6 bra     $L__BB1_7;
    bra.uni     $L__BB1_6;

$L__BB1_7:
    lg2.approx.ftz.f32     %f84, %f20;
    mul.ftz.f32     %f85, %f84, 0f3ED55555;
    ex2.approx.ftz.f32     %f86, %f85;
    fma.rn.ftz.f32     %f116, %f86, 0f3F870A3D, 0fBD6147AE;
    bra.uni     $L__BB1_8;

$L__BB1_6:
    mul.ftz.f32     %f116, %f20, 0f414EB852;

$L__BB1_8:
    fma.rn.ftz.f32     %f87, %f116, 0f437F0000, 0f3F000000;
    cvt.rzi.ftz.u32.f32     %r33, %f87;
    st.global.u8     [%rd3], %r33;
    mul.ftz.f32     %f88, %f17, %f19;
    fma.rn.ftz.f32     %f89, %f88, 0f4020A3D7, 0f3CF5C28F;
    mul.ftz.f32     %f90, %f88, %f89;
    fma.rn.ftz.f32     %f91, %f88, 0f401B851F, 0f3F170A3D;
    fma.rn.ftz.f32     %f92, %f88, %f91, 0f3E0F5C29;
    div.approx.ftz.f32     %f93, %f90, %f92;
    cvt.ftz.sat.f32.f32     %f24, %f93;
    setp.gtu.ftz.f32     %p7, %f24, 0f3B4D2E1C;
    @%p7 bra     $L__BB1_10;
    bra.uni     $L__BB1_9;

$L__BB1_10:
    lg2.approx.ftz.f32     %f94, %f24;
    mul.ftz.f32     %f95, %f94, 0f3ED55555;
    ex2.approx.ftz.f32     %f96, %f95;
    fma.rn.ftz.f32     %f117, %f96, 0f3F870A3D, 0fBD6147AE;
    bra.uni     $L__BB1_11;

$L__BB1_9:
    mul.ftz.f32     %f117, %f24, 0f414EB852;

$L__BB1_11:
    fma.rn.ftz.f32     %f97, %f117, 0f437F0000, 0f3F000000;
    cvt.rzi.ftz.u32.f32     %r34, %f97;
    st.global.u8     [%rd3+1], %r34;
    mul.ftz.f32     %f98, %f18, %f19;
    fma.rn.ftz.f32     %f99, %f98, 0f4020A3D7, 0f3CF5C28F;
    mul.ftz.f32     %f100, %f98, %f99;
    fma.rn.ftz.f32     %f101, %f98, 0f401B851F, 0f3F170A3D;
    fma.rn.ftz.f32     %f102, %f98, %f101, 0f3E0F5C29;
    div.approx.ftz.f32     %f103, %f100, %f102;
    cvt.ftz.sat.f32.f32     %f28, %f103;
    setp.gtu.ftz.f32     %p8, %f28, 0f3B4D2E1C;
    @%p8 bra     $L__BB1_13;
    bra.uni     $L__BB1_12;

$L__BB1_13:
    lg2.approx.ftz.f32     %f104, %f28;
    mul.ftz.f32     %f105, %f104, 0f3ED55555;
    ex2.approx.ftz.f32     %f106, %f105;
    fma.rn.ftz.f32     %f118, %f106, 0f3F870A3D, 0fBD6147AE;
    bra.uni     $L__BB1_14;

$L__BB1_12:
    mul.ftz.f32     %f118, %f28, 0f414EB852;

$L__BB1_14:
    fma.rn.ftz.f32     %f107, %f118, 0f437F0000, 0f3F000000;
    cvt.rzi.ftz.u32.f32     %r35, %f107;
    st.global.u8     [%rd3+2], %r35;

$L__BB1_15:
    ret;

}
)ptx";
